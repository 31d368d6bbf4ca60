/** Metadata documents (RFC 8414, OpenID Connect Discovery). */

import type { Fault } from "../../faults/fault.ts";
import { body, metadata, status } from "../../faults/mod.ts";
import { textParameter } from "../../faults/parameters.ts";
import { readBodyText, withBody } from "../../faults/response_body.ts";
import { equivalentIssuers } from "./equivalent_issuers.ts";
import { describeError, describeOutcome } from "../assess.ts";
import { type Assessment, type Attack, defineAttack, type Stage } from "../attack.ts";
import { hostileText, leakedCredentials, unboundCode, unusableResponse } from "./effects.ts";
import { exchangesOf, type Observation } from "../observation.ts";
import { nearIssuers } from "./near_misses.ts";

/** Every metadata document that a client must reject: no authorization request follows. */
const rejected = {
  level: "must-reject",
  stop: "discovery",
  endpoints: ["discovery"],
  correctClient: "It rejects the document, and sends no authorization request.",
} as const;

/** Adds a rule that changes members of every metadata document. */
function edit({ as }: Stage, name: string, members: Readonly<Record<string, unknown>>): void {
  as.on("discovery").always(body.edited((document) => ({ ...document, ...members }), name));
}

/** The members whose URLs a client requests itself. */
const usedMembers = ["token_endpoint", "userinfo_endpoint", "jwks_uri"];

const memberParameter = textParameter("member", "token_endpoint", "The member.");

/** A client may never need the URL. */
function assessVisit({ trap, outcome }: Observation): Assessment | undefined {
  return trap.requests.length > 0 || outcome !== "accepted"
    ? undefined
    : { passed: true, because: "the client sent no request there" };
}

/** The attacks of the category `metadata`. */
export const metadataAttacks: readonly Attack[] = [
  defineAttack({
    ...rejected,
    id: "metadata/issuer-other",
    title: "The metadata document names another issuer.",
    sources: ["RFC 8414 §3.3", "OpenID Connect Discovery §4.3"],
    parameters: [textParameter("how", "other", "other, shortened, extended or path.")],
    variants: ["other", "shortened", "extended", "path"].map((how) => ({ how })),
    start: (stage, { how }) => edit(stage, `issuer ${how}`, { issuer: nearIssuers(stage.as.issuer)[how] }),
  }),
  defineAttack({
    ...rejected,
    id: "metadata/issuer-missing",
    title: "The metadata document names no issuer, or one that is not a text.",
    sources: ["RFC 8414 §2"],
    parameters: [{
      name: "value",
      type: ["string", "number", "null"],
      default: null,
      description: "The issuer; null removes it.",
    }],
    variants: [null, "", 7].map((value) => ({ value })),
    start: (stage, { value }) => edit(stage, "no issuer", { issuer: value ?? undefined }),
  }),
  defineAttack({
    ...rejected,
    id: "metadata/issuer-equivalent",
    title: "The issuer of the metadata differs from the configured one only by its spelling.",
    level: "should-reject",
    sources: ["RFC 8414 §3.3", "github/copilot-cli#4490"],
    parameters: [textParameter("how", "slash", "slash, case or port.")],
    variants: ["case", "port"].map((how) => ({ how })),
    start: (stage, { how }) =>
      edit(stage, `issuer with another ${how}`, { issuer: equivalentIssuers(stage.as.issuer)[how] }),
  }),
  defineAttack({
    ...rejected,
    id: "metadata/member-missing",
    effect: unusableResponse,
    title: "The metadata document lacks an endpoint that the client needs.",
    correctClient: "It reports the missing member; it does not guess the path.",
    stop: undefined,
    sources: ["RFC 8414 §2", "OpenID Connect Discovery §3"],
    parameters: [textParameter("member", "token_endpoint", "The member.")],
    variants: ["authorization_endpoint", "token_endpoint"].map((member) => ({ member })),
    start: ({ as }, { member }) => void as.on("discovery").always(metadata.without(member)),
  }),
  defineAttack({
    ...rejected,
    id: "metadata/member-shape",
    effect: unusableResponse,
    title: "An endpoint of the metadata is a number, null, or a relative URL.",
    correctClient: "It reports the member.",
    stop: undefined,
    sources: ["RFC 8414 §2"],
    parameters: [{
      name: "value",
      type: ["string", "number", "null"],
      default: 7,
      description: "The value of token_endpoint.",
    }],
    variants: [7, null, "/oauth2/token"].map((value) => ({ value })),
    start: (stage, { value }) => edit(stage, "token_endpoint of a wrong type", { token_endpoint: value }),
  }),
  defineAttack({
    ...rejected,
    id: "metadata/plain-http",
    effect: leakedCredentials,
    title: "The token endpoint, userinfo or the keys of an https issuer have an http URL.",
    correctClient: "It sends nothing there.",
    stop: undefined,
    needsHttpsIssuer: true,
    sources: ["RFC 6749 §3.2", "RFC 8414 §2"],
    parameters: [memberParameter],
    variants: usedMembers.map((member) => ({ member })),
    start: (stage, { member }) =>
      edit(stage, `${member} without TLS`, { [member]: `${stage.trap.origin.replace("https:", "http:")}/${member}` }),
    assess: assessVisit,
  }),
  defineAttack({
    id: "metadata/pkce-unsupported",
    effect: unboundCode,
    title: "The metadata announces no code challenge method, or only plain.",
    correctClient: "It stops, or still sends a code challenge with S256.",
    level: "must-reject",
    endpoints: ["discovery"],
    sources: ["RFC 9700 §2.1.1", "RFC 7636 §7.2"],
    parameters: [{
      name: "methods",
      type: ["array", "null"],
      default: null,
      description: "code_challenge_methods_supported; null removes it.",
    }],
    variants: [{ methods: null }, { methods: [] }, { methods: ["plain"] }],
    start: (stage, { methods }) =>
      edit(stage, "no code challenge method S256", { code_challenge_methods_supported: methods ?? undefined }),
    assess: ({ exchanges, outcome }) => {
      const requests = exchanges.filter(({ endpoint }) => endpoint === "authorize");
      const isWeak = requests.some(({ request: { query } }) =>
        !query.some(([name, value]) => name === "code_challenge_method" && value === "S256")
      );
      return {
        passed: !isWeak && outcome !== "hung",
        because: isWeak
          ? "the client sent an authorization request without S256"
          : requests.length === 0
          ? "the client stopped"
          : "the client still used S256",
      };
    },
  }),
  defineAttack({
    id: "metadata/members-unknown",
    title: "The metadata document has members and values that no specification defines.",
    correctClient: "It ignores them.",
    level: "must-tolerate",
    endpoints: ["discovery"],
    sources: ["RFC 8414 §2"],
    start: (stage) =>
      edit(stage, "unknown members", {
        example_feature: { nested: [1, null] },
        grant_types_supported: ["authorization_code", "refresh_token", "urn:example:unknown"],
      }),
  }),
  defineAttack({
    id: "metadata/redirected",
    effect: leakedCredentials,
    title: "The metadata redirects to another origin.",
    correctClient: "It does not follow the redirect, or rejects the document that it finds there.",
    level: "must-reject",
    stop: "discovery",
    endpoints: ["discovery"],
    sources: ["RFC 8414 §6.2"],
    start: ({ as, trap }) =>
      void as.on("discovery").always(metadata.redirecting(`${trap.origin}/.well-known/openid-configuration`)),
    // To follow it is no fault by itself: the request has no secret, and the document there is rejected.
    assess: (observation) =>
      observation.outcome === "rejected" && exchangesOf(observation, "authorize").length === 0
        ? { passed: true, because: describeOutcome(observation) }
        : undefined,
  }),
  defineAttack({
    id: "metadata/auth-methods-odd",
    title: "The metadata announces no client authentication methods, or methods that the client does not know.",
    correctClient: "It uses its method, or reports that none is supported; without the member, the default counts.",
    level: "must-tolerate",
    endpoints: ["discovery"],
    sources: ["RFC 8414 §2"],
    parameters: [textParameter("how", "absent", "absent, with-unknown or only-unknown.")],
    variants: ["absent", "with-unknown", "only-unknown"].map((how) => ({ how })),
    start: ({ as }, { how }) =>
      void as.on("discovery").always(
        body.edited((document) => ({
          ...document,
          token_endpoint_auth_methods_supported: how === "absent" ? undefined : [
            "urn:example:unknown",
            ...how === "with-unknown" ? document.token_endpoint_auth_methods_supported as readonly string[] : [],
          ],
        }), `authentication methods ${how}`),
      ),
    assess: (observation) => {
      const [{ response: { body: document = "{}" } = {} } = {}] = exchangesOf(observation, "discovery");
      const { token_endpoint_auth_methods_supported: methods } = JSON.parse(document);
      return observation.outcome === "rejected" && methods?.length === 1
        ? { passed: true, because: "the client reported that its method is not announced" }
        : undefined;
    },
  }),
  defineAttack({
    id: "metadata/elsewhere",
    title: "The first request for the metadata fails; a request for another well-known URL, or a later one, succeeds.",
    correctClient: "It tries the other well-known URL, or reports the failure; it does not keep the failure.",
    level: "must-recover",
    endpoints: ["discovery"],
    sources: ["RFC 8414 §3.1", "RFC 8414 §5"],
    parameters: [textParameter("how", "404", "404, 500, html or redirect.")],
    variants: ["404", "500", "html", "redirect"].map((how) => ({ how })),
    start: ({ as, trap }, { how }) =>
      void as.on("discovery").once(
        how === "html"
          ? body.html()
          : how === "redirect"
          ? metadata.redirecting(`${trap.origin}/.well-known/openid-configuration`)
          : status(Number(how)),
      ),
  }),
  defineAttack({
    ...rejected,
    id: "metadata/authorization-endpoint-hostile",
    effect: hostileText,
    title: "The authorization endpoint is a script, a file, a URL for another program, or begins with a hyphen.",
    correctClient: "It opens only http and https URLs in a browser.",
    sources: ["CVE-2025-6514", "CVE-2025-58444", "andrewyng/openworker#527"],
    parameters: [textParameter("value", "javascript:void(0)", "The member authorization_endpoint.")],
    variants: [
      ...["javascript:void(0)", "data:text/html,<p>marker</p>", "file:///nonexistent/marker"],
      ...["vscode://marker", "-marker", "$(true)"],
    ].map((value) => ({ value })),
    start: (stage, { value }) => edit(stage, "hostile authorization endpoint", { authorization_endpoint: value }),
    async perform({ driver, journey }) {
      const opened: string[] = [];
      const authorize = (url: string | URL) => {
        opened.push(String(url));
        return Promise.reject(new Error("the browser opens no URL of this attack"));
      };
      const error = await driver.logIn!({ ...journey, authorize }).then(() => undefined, (thrown: unknown) => thrown);
      const hostile = opened.find((url) => !/^https?:/i.test(url));
      return hostile !== undefined
        ? { outcome: "accepted", passed: false, because: `the client opened ${hostile.slice(0, 40)}` }
        : { outcome: "rejected", passed: true, because: `the client reported an error: ${describeError(error)}` };
    },
  }),
  defineAttack({
    id: "metadata/endpoint-internal",
    title: "The token endpoint, userinfo or the keys of a public issuer have an address of an internal network.",
    correctClient: "It does not connect to it, if it runs on a server.",
    level: "should-reject",
    needsAnyOrigin: true,
    endpoints: ["discovery"],
    sources: ["RFC 9728 §7.7", "vercel/ai#20578", "docker/docker-agent#3034"],
    parameters: [textParameter("host", "169.254.169.254", "The host."), memberParameter],
    variants: [
      ...["127.0.0.1", "localhost", "10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:127.0.0.1]"].map((host) => ({
        host,
      })),
      ...usedMembers.slice(1).map((member) => ({ host: "127.0.0.1", member })),
    ],
    start(stage, { host, member }) {
      stage.trap.addOrigin(`https://${host}`);
      edit(stage, `${member} in an internal network`, { [member]: `https://${host}/${member}` });
    },
    assess: assessVisit,
  }),
  defineAttack({
    id: "metadata/moved",
    title: "The token endpoint and the keys have another URL than at the first login, and the old ones are gone.",
    correctClient: "It fetches the metadata again, at the latest after a failure, and completes a login.",
    level: "must-recover",
    journey: "second login",
    endpoints: ["discovery"],
    sources: ["RFC 8414 §3.2", "OpenID Connect Discovery §4"],
    start: ({ as }) => void as.on("any").always(movedEndpoints()),
    assess: async ({ outcome, earlier, logInAgain }) => {
      if (outcome !== "rejected") return undefined;
      earlier!.passTime?.(86_400);
      const passed = await logInAgain();
      return {
        passed,
        isInconclusive: !passed && earlier!.passTime === undefined,
        because: passed
          ? "the client reported an error, and found the new URLs at its next login"
          : "the client kept the metadata after the failure, and a day later",
      };
    },
  }),
];

/** A fault that moves the token endpoint and the keys to URLs with a query. */
function movedEndpoints(): Fault {
  const query = "?moved=1";
  return {
    name: "moved endpoints",
    waitsFor: "requested the metadata or a moved endpoint",
    handle: (next, context) => async (request, peer) => {
      const { endpoint } = context.request;
      if ((endpoint === "token" || endpoint === "jwks") && !request.url.endsWith(query)) {
        context.consume();
        return { status: 404, headers: {}, body: null };
      }
      const response = await next(request, peer);
      if (endpoint !== "discovery" || response.status !== 200) return response;
      context.consume();
      const document = JSON.parse(await readBodyText(response));
      const moved = ["token_endpoint", "jwks_uri"].map((name) => [name, `${document[name]}${query}`]);
      return withBody(response, JSON.stringify({ ...document, ...Object.fromEntries(moved) }));
    },
  };
}
