/** What led to the callback page: the request as this browser sent it, the answer as it came, and how they fit. */

import type { Fields } from "../http/form.ts";
import type { IssuedCode } from "../oauth/authorize/authorization_request.ts";
import { digest } from "../oauth/secrets.ts";
import { demoAuthorizationRequest } from "./demo_client.ts";
import type { DemoFlow } from "./demo_client.ts";
import type { App } from "../app/endpoint.ts";
import type { CheckResult, PkceProps, RoundTrip } from "../app/pages.ts";

/** What is known when the browser arrives. */
export interface CallbackContext {
  /** As they came, shortened where they are too long. */
  readonly redirect: Fields;
  /** The names of what came besides. */
  readonly ignoredParameters: readonly string[];
  /** The flow, where this browser began it from a page of this server. */
  readonly flow?: DemoFlow;
  /** What the server kept with the code. */
  readonly issued?: IssuedCode;
}

/** Puts it together; nothing of it changes anything. */
export async function describeRoundTrip(
  app: App,
  { redirect, ignoredParameters, flow, issued }: CallbackContext,
): Promise<RoundTrip> {
  const client = issued === undefined ? undefined : app.server.clients.find(issued.clientId);
  const parameters = new Map(redirect);
  return {
    request: flow === undefined || client === undefined ? undefined : await demoAuthorizationRequest(app, client, flow),
    redirect,
    ignoredParameters,
    checks: checkResponse(app.server.issuer, parameters.get("state"), parameters.get("iss"), flow),
    pkce: flow && await explainPkce(flow, issued),
  };
}

/** A state as our links make it. */
const demoState = /^[\w-]{44}$/;

/** What a client checks before it does anything else (OAuth 2.1 §7.12; RFC 9207 §2.4). */
export function checkResponse(
  issuer: string,
  state: string | undefined,
  iss: string | undefined,
  flow: DemoFlow | undefined,
): CheckResult[] {
  // Of a state that none of our links made, only the client that made it can tell whether it is the right one.
  const canCheckState = flow !== undefined || demoState.test(state ?? "");
  return [
    canCheckState
      ? {
        name: "state",
        passed: flow !== undefined,
        expected: flow?.state ?? "one that this browser sent",
        received: state,
      }
      : { name: "state", received: state },
    { name: "response_iss", passed: iss === issuer, expected: issuer, received: iss ?? "none" },
  ];
}

/** What the code was issued against is compared here and never shown: it is nobody's business but the server's. */
async function explainPkce({ verifier }: DemoFlow, issued: IssuedCode | undefined): Promise<PkceProps> {
  const challenge = await digest(verifier);
  const bytes = atob(challenge.replaceAll("-", "+").replaceAll("_", "/"));
  return {
    verifier,
    digestHex: Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join(""),
    challenge,
    matches: issued?.codeChallenge === undefined ? undefined : issued.codeChallenge === challenge,
  };
}
