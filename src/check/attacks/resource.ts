/**
 * Protected resources, such as MCP servers: metadata and challenges that mislead a client, or that never end (RFC 9728,
 * RFC 6750).
 */

import { json, withHeaders } from "../../core/http/message.ts";
import { getHeader } from "../../platform/http/response.ts";
import { decodeJwtPart } from "../../platform/http/jwt_part.ts";
import { findParam } from "../../recorder/record_request.ts";
import type { RequestView } from "../../testing/faults/fault.ts";
import { body, status } from "../../testing/faults/mod.ts";
import { numberParameter } from "../../testing/faults/parameters.ts";
import { editResponse } from "../../testing/faults/response_body.ts";
import { type Assessment, type Attack, defineAttack, type Stage } from "../define_attack.ts";
import { exchangesOf, type Observation } from "../attack.ts";
import { challengeForms, rejectTokens, usualForm, withoutHeader, withoutMetadataUrl } from "./resource_challenge.ts";
import { gridAttacks, jsonResponse } from "./grid.ts";
import { oneOf } from "./parameters.ts";
import { pick } from "./wrong_values.ts";
import { conclude, failIf } from "./conclusions.ts";
import { describeError } from "../assess.ts";
import { UndecidedError } from "../driver.ts";
import { parseJsonObject } from "../../platform/http/json_body.ts";

/** How often a resource rejects a client that does not stop by itself. */
const rejections = 30;

/** How often a client may send the user to the authorization server for one request. */
const maxAuthorizations = 4;

/** How many requests to the resource a client may send for one call: MCP clients send several to begin a session. */
const maxRequests = 20;

const hasToken = ({ header }: RequestView) => header("authorization") !== null;

/** Fails a client that starts logins, or sends requests, in an endless loop. */
function assessAuthorizations(observation: Observation): Assessment | undefined {
  const logins = exchangesOf(observation, "authorize").length;
  const requests = exchangesOf(observation, "resource").length;
  return failIf(logins > maxAuthorizations, `the client sent ${logins} authorization requests`, "repeated") ??
    failIf(requests > maxRequests, `the client sent ${requests} requests to the resource`, "repeated");
}

/** The values of a client that no other issuer may receive: its secrets and tokens, and what it registered. */
function valuesOf({ as, client }: Stage): readonly string[] {
  const names = ["access_token", "refresh_token", "id_token", "client_secret", "registration_access_token"];
  const issued = as.log.unmasked.exchanges.flatMap(({ endpoint, response }) => {
    if (endpoint !== "token" && endpoint !== "register") return [];
    const members = JSON.parse(response?.body ?? "{}");
    return [...names, ...endpoint === "register" ? ["client_id"] : []].map((name) => members[name]);
  });
  return [...issued, client.client_secret].filter((value): value is string => typeof value === "string");
}

/** Whether the client asks for a version of MCP whose clients must use the `resource_metadata` of a challenge. */
function statesNewVersion({ as }: Stage): boolean {
  return as.log.unmasked.filter("resource").some(({ request: { body = "" } }) => {
    const { params } = parseJsonObject(body) ?? {};
    const { protocolVersion = "" } = (params ?? {}) as { readonly protocolVersion?: unknown };
    return String(protocolVersion) >= "2025-11-25";
  });
}

const metadataDocument = jsonResponse("The metadata of the resource", { isSteady: true });

/** A document of which the client uses no part. */
const rejectedDocument = {
  stop: "discovery",
  accepts: "metadata",
  endpoints: ["resource_metadata"],
  correctClient: "The client rejects the document, and sends no authorization request.",
} as const;

export const resourceAttacks: readonly Attack[] = [
  ...gridAttacks(metadataDocument, [
    {
      ...{
        ...rejectedDocument,
        id: "resource/metadata-of-another",
        fix: "Compare resource of the metadata with the URL that you requested, character by character.",
        level: "must-reject",
        member: "resource",
      },
      values: ["foreign", "absent", "empty"],
      requirement: "RFC 9728 §3.3",
      sources: ["RFC 9728 §7.3"],
    },
    {
      ...{
        ...rejectedDocument,
        id: "resource/metadata-near",
        fix: "Compare resource of the metadata with the URL that you requested, character by character.",
        level: "should-reject",
        member: "resource",
      },
      values: {
        "its origin": (url) => new URL(String(url)).origin,
        ...pick("shortened"),
        "another path": (url) => new URL("/another", String(url)).href,
      },
      correctClient: "The client rejects the document: it compares the whole URL.",
      sources: ["RFC 9728 §3.3"],
    },
  ]),
  ...gridAttacks(jsonResponse("The metadata document", { isSteady: true }), [{
    ...{
      ...rejectedDocument,
      id: "resource/pkce-unsupported",
      fix: "Stop if the metadata has no code_challenge_methods_supported, or S256 is not in it.",
      level: "must-reject",
      endpoints: ["discovery"],
    },
    ...{ member: "code_challenge_methods_supported", values: ["absent"] },
    correctClient: "The client stops: it cannot know whether the server supports PKCE.",
    requirement: "MCP authorization, authorization code protection",
    sources: ["OAuth 2.1 §7.10"],
  }]),
  defineAttack({
    id: "resource/challenge-shapes",
    fix:
      "Parse WWW-Authenticate as a list of challenges, with names in any letter case and values with or without quotes.",
    title: "The challenge of the resource has an unusual but valid form, and only the challenge has the metadata URL.",
    correctClient: "The client finds resource_metadata in the Bearer challenge, and logs in.",
    level: "must-tolerate",
    requirement: "MCP authorization, protected resource metadata discovery",
    sources: ["RFC 9110 §11.6.1", "RFC 9728 §5.1", "QwenLM/qwen-code#5343", "getsentry/sentry-mcp#939"],
    ...oneOf("form", Object.keys(challengeForms), "The form of the challenge."),
    async perform(stage, { form }) {
      let current = form;
      stage.as.on("any", ({ endpoint }) => endpoint.startsWith("resource")).always({
        name: `challenge: ${form}`,
        waitsFor: "got a challenge",
        handle: (next, context) => async (request, peer) => {
          const { endpoint, params } = context.request;
          // The well-known URL without this query has no document.
          if (endpoint === "resource_metadata" && params.from !== "challenge") return json(404, {});
          const response = await next(request, peer);
          if (endpoint !== "resource" || response.status !== 401 || !context.consume()) return response;
          const url = `${stage.resource!.metadataUrl}?from=challenge`;
          return withHeaders(response, { "www-authenticate": challengeForms[current]!(url, stage.trap.origin) });
        },
      });
      try {
        return await stage.begin();
      } catch (error) {
        if (error instanceof UndecidedError) throw error;
        current = usualForm;
        const readsUsual = form !== usualForm && await stage.begin().then(() => true, () => false);
        const because = readsUsual
          ? `the client does not read this form of the challenge: ${describeError(error)}`
          : "the client uses no resource_metadata of a challenge, which MCP requires since 2025-11-25";
        // Before, it was enough to parse the header and to know the well-known URL.
        return { ...conclude(because, "", "strict"), isWarning: !readsUsual && !statesNewVersion(stage) };
      }
    },
  }),
  defineAttack({
    id: "resource/challenge-missing",
    fix:
      "Without a URL in the challenge, insert /.well-known/oauth-protected-resource before the path of the resource.",
    title: "The 401 response of the resource has no challenge, or a challenge without resource_metadata.",
    correctClient: "The client fetches the metadata from the well-known URL, and logs in.",
    level: "must-tolerate",
    requirement: "MCP authorization, protected resource metadata discovery",
    sources: ["RFC 9728 §3.1"],
    ...oneOf("what", ["challenge", "resource_metadata"], "What is missing."),
    always: ({ what }) =>
      editResponse(
        `no ${what}`,
        "got a challenge",
        (response) => getHeader(response, "www-authenticate") !== undefined,
        (response) => what === "challenge" ? withoutHeader(response, "www-authenticate") : withoutMetadataUrl(response),
      ),
  }),
  defineAttack({
    id: "resource/issuer-changed",
    fix: "Keep each registration and its tokens under their issuer, and send them to no other.",
    title:
      "The resource names another authorization server than at the last login, and rejects the tokens of the first one.",
    correctClient: "The client sends no secret, token or registered client_id of the first server to the second.",
    level: "must-reject",
    journey: "session",
    ifUnmet: "the client does not read the metadata of the resource again",
    endpoints: ["resource", "resource_metadata"],
    requirement: "MCP authorization, authorization server binding",
    sources: ["RFC 9728 §7.6"],
    async perform(stage) {
      const { as } = stage;
      const other = await stage.openOtherIssuer();
      const values = valuesOf(stage);
      as.on("resource_metadata").always(body.edited({ authorization_servers: [other.issuer] }));
      as.on("resource", hasToken).times(rejections, rejectTokens(stage, "invalid_token"));
      const request = stage.session!.request ?? stage.begin;
      const outcome = await request().then(() => "accepted" as const, () => "rejected" as const);
      const received = JSON.stringify(other.log.unmasked.exchanges.map(({ request }) => request));
      const leaked = values.some((value) => received.includes(value));
      return {
        outcome,
        passed: !leaked,
        seen: "leaked",
        because: leaked
          ? "the second server received a secret, a token or a client_id of the first"
          : "the second server received no secret, token or client_id of the first",
      };
    },
  }),
  defineAttack({
    id: "resource/unauthorized-for-ever",
    fix: "Report the rejection if the resource rejects a new token, too.",
    title: "The resource rejects every access token with 401, even a new one, or with 403 insufficient_scope.",
    correctClient: "The client starts at most three further logins, and reports the failure; the next login works.",
    level: "must-recover",
    sources: [
      ...["MCP authorization, error handling", "modelcontextprotocol/typescript-sdk#945", "punkpeye/mcp-remote#68"],
      ...["RFC 6750 §3.1", "MCP authorization, scope challenge handling"],
    ],
    ...oneOf("code", ["invalid_token", "insufficient_scope"]),
    start: (stage, { code }) =>
      void stage.as.on("resource", hasToken).times(
        rejections,
        rejectTokens(stage, code, code === "invalid_token" ? undefined : "write"),
      ),
    assess: assessAuthorizations,
  }),
  defineAttack({
    id: "resource/insufficient-scope",
    fix: "Request the scope values that the token had and the missing one together, once.",
    title: "The resource rejects the token with 403 insufficient_scope, and names only the missing scope value.",
    correctClient:
      "The client requests the old scope and the missing value together once, or reports the missing value.",
    level: "must-recover",
    sources: ["RFC 6750 §3.1", "MCP authorization, scope challenge handling"],
    ifUnmet: "the client requests every scope value at its first login",
    start: (stage) =>
      void stage.as.on("resource", (request) => {
        const { scope = "" } = decodeJwtPart(request.header("authorization")?.split(" ")[1] ?? "", 1);
        return hasToken(request) && !String(scope).split(" ").includes("write");
      }).times(rejections, rejectTokens(stage, "insufficient_scope", "write")),
    assess(observation) {
      const requests = observation.exchanges.filter(({ endpoint, request }) =>
        (endpoint === "authorize" || endpoint === "par") && findParam(request, "scope") !== undefined
      );
      const [first, ...later] = requests.map(({ request }) => findParam(request, "scope")!.split(" "));
      const dropped = later.some((scope) => !first!.every((value) => scope.includes(value)));
      return dropped
        ? {
          passed: false,
          because: "the client requested the missing scope value without the ones that it had",
          seen: "ended",
        }
        : assessAuthorizations(observation);
    },
  }),
  defineAttack({
    id: "resource/redirects-away",
    title: "The resource redirects a request with an access token to another origin.",
    correctClient: "The client does not send the access token to the other origin.",
    level: "must-reject",
    sources: ["RFC 9700 §4.9.1", "datahub-project/datahub#18187"],
    parameters: [numberParameter("status", 307, "The status.")],
    variants: [302, 307, 308].map((code) => ({ status: code })),
    start: ({ as, trap }, { status: code }) =>
      void as.on("resource", hasToken).times(rejections, status(code, { headers: { location: `${trap.origin}/mcp` } })),
    assess({ trap, outcome }) {
      const isSent = trap.requests.some(({ authorization }) => authorization !== undefined);
      return {
        passed: !isSent && outcome !== "hung" && outcome !== "crashed",
        because: isSent ? `the client sent the access token to ${trap.origin}` : "the token was not sent there",
      };
    },
  }),
];
