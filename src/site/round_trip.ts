/** What led to the callback page: the request as this browser sent it, the answer as it came, and how they fit. */

import type { Fields } from "../http/form.ts";
import type { IssuedCode } from "../oauth/authorize/authorization_request.ts";
import { digest } from "../oauth/secrets.ts";
import { demoRequest } from "./demo_client.ts";
import type { DemoFlow } from "./demo_client.ts";
import type { Desk } from "../app/endpoint.ts";
import type { Check, PkceProps, RoundTrip } from "../app/pages.ts";

/** What is known when the browser arrives. */
export interface Arrival {
  /** As they came, shortened where they are too long. */
  readonly redirect: Fields;
  /** The names of what came besides. */
  readonly ignored: readonly string[];
  /** The flow, where this browser began it from a page of this server. */
  readonly flow?: DemoFlow;
  /** What the server kept with the code. */
  readonly issued?: IssuedCode;
}

/** Puts it together; nothing of it changes anything. */
export async function retrace(desk: Desk, { redirect, ignored, flow, issued }: Arrival): Promise<RoundTrip> {
  const client = issued === undefined ? undefined : desk.server.clients.find(issued.clientId);
  const answer = new Map(redirect);
  return {
    request: flow === undefined || client === undefined ? undefined : await demoRequest(desk, client, flow),
    redirect,
    ignored,
    checks: checkAnswer(desk.server.issuer, answer.get("state"), answer.get("iss"), flow),
    pkce: flow && await workOut(flow, issued),
  };
}

/** A state as our links make it. */
const ownState = /^[\w-]{44}$/;

/** What a client checks before it does anything else (OAuth 2.1 §7.12; RFC 9207 §2.4). */
export function checkAnswer(
  issuer: string,
  state: string | undefined,
  iss: string | undefined,
  flow: DemoFlow | undefined,
): Check[] {
  // Of a state that none of our links made, only the client that made it can tell whether it is the right one.
  const judged = flow !== undefined || ownState.test(state ?? "");
  return [
    judged
      ? {
        name: "state",
        holds: flow !== undefined,
        expected: flow?.state ?? "one that this browser sent",
        received: state,
      }
      : { name: "state", received: state },
    { name: "response_iss", holds: iss === issuer, expected: issuer, received: iss ?? "none" },
  ];
}

/** What the code was issued against is compared here and never shown: it is nobody's business but the server's. */
async function workOut({ verifier }: DemoFlow, issued: IssuedCode | undefined): Promise<PkceProps> {
  const computed = await digest(verifier);
  const bytes = atob(computed.replaceAll("-", "+").replaceAll("_", "/"));
  return {
    verifier,
    digest: Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join(""),
    computed,
    matches: issued?.challenge === undefined ? undefined : issued.challenge === computed,
  };
}
