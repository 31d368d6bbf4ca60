/**
 * GET and POST /authorized: what the whole server adds to the page of the core. Signed responses, the checks of a
 * client, the request that the response belongs to, and the steps of a plugin (`DemoSteps`).
 */

import { type Arrived, authorizedHandlers, type ReceivedParams, truncate } from "../../core/demo/authorized.ts";
import type { Context } from "../../core/http/context.ts";
import { endpointUrl } from "../../core/http/endpoint.ts";
import type { Fields } from "../../core/http/form.ts";
import { html, type HttpResponse } from "../../core/http/message.ts";
import { jwtPolicies } from "../../platform/jwt/jwt_policies.ts";
import { renderPage } from "../../core/pages/render_page.ts";
import { paramsFromFields } from "../../core/http/params.ts";
import type { Handlers } from "../../core/route.ts";
import { digest } from "../../core/keys/secrets.ts";
import type { Server } from "../../core/server.ts";
import { verifyOwnJwt } from "../../core/keys/verification.ts";
import { demoSecret } from "../config/demo_entries.ts";
import { sendsIss } from "../config/metadata_setting.ts";
import { findRule } from "../rules.ts";
import { CallbackPage, type CallbackProps } from "../pages/authorized_page.tsx";
import type { ResponseCheck } from "../pages/checks.tsx";
import type { Site } from "../pages/layout.tsx";
import { type ArrivedResponse, developerPagesOf } from "../app.ts";
import { findHostWarning } from "./other_host.ts";
import { ensureBrowserCookie } from "../../core/sessions/browser_cookie.ts";
import { browserCsrfToken } from "../pages/csrf.ts";
import { type DemoFlow, demoRequest } from "../../core/demo/demo_flow.ts";
import { createExamples, type IssuedCode } from "../../core/demo/token_example.ts";

/** Maximum number of ignored parameters to name. */
const maxIgnoredNames = 8;

/** The parameters of an authorization response (OAuth 2.1 §4.1.2; RFC 9207 §2; OpenID Connect Core §3.2.2.5). */
const responseParameters = ["code", "id_token", "error", "error_description", "error_uri", "state", "iss"];

/** The page, with the checks of a client, and the steps of plugins. */
export const authorized: Handlers = authorizedHandlers({ names: responseParameters, unwrap: readSigned, respond });

async function respond(context: Context, arrived: Arrived): Promise<HttpResponse> {
  const { server } = context;
  const site: Site = context.site;
  const { demoSteps, flowLinkFor } = developerPagesOf(context);
  const browser = await ensureBrowserCookie(context);
  const { params, parameters, code, issued, flow, ...common } = arrived;
  const shown = new Map(parameters);
  const success = code !== undefined;
  const isIdTokenAlone = !success && shown.has("id_token") && !shown.has("error") && !shown.has("code");
  const outcome = isIdTokenAlone ? { kind: "id_token" } as const : arrived.outcome;
  const response: ArrivedResponse = {
    code,
    state: shown.get("state"),
    iss: shown.get("iss"),
    flow,
    issued,
    csrfToken: await browserCsrfToken(context, browser),
    failed: outcome.kind === "failure",
  };
  const next = await (await demoSteps?.())?.next(context, response);
  const client = issued && await server.clients.find(issued.clientId);
  const props: CallbackProps = {
    ...site,
    ...common,
    flowLink: flowLinkFor?.(parameters) ?? site.flowLink,
    outcome,
    notes: [...common.notes, findHostWarning(context) ?? []].flat(),
    ...!success && { fix: fixOf(shown.get("error_description")), scopes: server.policy.scopes },
    request: flow && client && definedPairs(await demoRequest(context, client, flow)),
    response: success ? parameters : parameters.filter(([name]) => name !== "code"),
    ignoredParameters: params.names.filter((name) => !responseParameters.includes(name)).slice(0, maxIgnoredNames)
      .map(truncate),
    checks: await checkResponse(server, response),
    examples: success
      ? await createExamples(context, {
        code,
        issued,
        verifier: flow?.verifier,
        signedBy: next?.signedBy,
        secretOf: ({ id }) => id === "demo-confidential" ? demoSecret : undefined,
      })
      : [],
    userinfoEndpoint: endpointUrl(context, "userinfo"),
    next,
  };
  return html(200, renderPage(CallbackPage, props), browser.headers);
}

/** The parameters inside a signed response (JARM), if this server has signed it; otherwise the received ones. */
async function readSigned(server: Server, params: ReceivedParams, notes: string[]): Promise<ReceivedParams> {
  const response = params.get("response");
  if (response === undefined) return params;
  const { issuer } = server;
  const claims = await verifyOwnJwt(server, response, jwtPolicies.authorization_response, { issuer });
  notes.push(
    claims === undefined
      ? "The response is a JWT that this server has not signed, or that has expired: none of its parameters is shown."
      : `The response is signed (JARM): signature, issuer and expiry are valid, the audience is ${claims.aud}.`,
  );
  const { aud: _, ...members } = claims ?? {};
  const fields = Object.entries(members).filter((member): member is [string, string] => typeof member[1] === "string");
  return Object.assign(paramsFromFields(fields), { names: fields.map(([name]) => name) });
}

function definedPairs(params: Readonly<Record<string, string | undefined>>): Fields {
  return Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined);
}

/** The fix of the rule that this server put at the end of its description: `… [AZ-17]`. */
export function fixOf(description: string | undefined): string | undefined {
  const id = /\[([A-Z]{2}-\d\d)\]$/.exec(description ?? "")?.[1];
  return id === undefined ? undefined : findRule(id)?.fix;
}

/** The first checks of a client (OAuth 2.1 §7.12; RFC 9207 §2.4), and the check of the server that PKCE enables. */
export async function checkResponse(
  server: Server,
  { code, state, iss, flow, issued }: ArrivedResponse,
): Promise<ResponseCheck[]> {
  return [
    // Only the client that generated a state can verify it. This form is that of newDemoFlow, in whatever browser.
    flow !== undefined || /^[\w-]{44}$/.test(state ?? "")
      ? {
        name: "state",
        passed: flow !== undefined,
        expected: flow?.state ?? "a state that this browser sent",
        received: state,
      }
      : { name: "state", received: state },
    iss === undefined && !sendsIss(server)
      ? { name: "response_iss" }
      : { name: "response_iss", passed: iss === server.issuer, expected: server.issuer, received: iss ?? "none" },
    ...code === undefined ? [] : [await checkVerifier(flow, issued)],
  ];
}

/** Compares the hash of the verifier with the challenge of the code, which only the server may know if they differ. */
async function checkVerifier(flow: DemoFlow | undefined, issued: IssuedCode | undefined): Promise<ResponseCheck> {
  if (flow === undefined || issued?.codeChallenge === undefined) return { name: "pkce" };
  const received = await digest(flow.verifier);
  const passed = received === issued.codeChallenge;
  return { name: "pkce", passed, expected: passed ? received : "another challenge", received };
}
