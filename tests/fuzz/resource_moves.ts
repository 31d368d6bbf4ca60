/** Requests of an attack to the hosted resource, and what every response of it must satisfy. */

import type { AttackerState, Step } from "./attack.ts";
import { type Pair, type RequestDraft, requestDraft } from "./request_draft.ts";
import type { AttackedServer } from "./servers.ts";

/** The path of the resource of every server, on the origin of its issuer. */
export const resourcePath = "/mcp";

const encoder = new TextEncoder();

/** Calls the MCP server with the newest access token or another text, or reads its metadata. */
export function callResource(_: AttackedServer, { tokens }: AttackerState, { pick, text }: Step): RequestDraft {
  if (pick % 11 === 0) return requestDraft("GET", `/.well-known/oauth-protected-resource${resourcePath}`, {});
  const token = pick % 5 === 0 ? text.replace(/[^\x21-\x7E]/g, "") : tokens.at(-1)?.access_token ?? "none";
  const headers: Pair[] = [
    ...pick % 13 === 0 ? [] : [["authorization", `Bearer ${token}`] as const],
    ...pick % 3 === 0 ? [["mcp-protocol-version", ["2025-03-26", "2026-07-28", "2025-11-25"][pick % 2]!] as const] : [],
    ["content-type", "application/json"],
  ];
  if (pick % 7 === 0) return requestDraft("GET", resourcePath, { headers });
  const method = ["tools/call", "initialize", "tools/list", "server/discover", text][pick % 5];
  const values: readonly unknown[] = [{ name: "whoami", arguments: { [text]: text } }, { name: text }, [text], text];
  const message = { jsonrpc: "2.0", id: pick % 4 === 0 ? undefined : text, method, params: values[pick % 4] };
  const body = pick % 17 === 0 ? text : JSON.stringify(pick % 6 === 0 ? [message, message] : message);
  return requestDraft("POST", resourcePath, { headers, body: encoder.encode(body) });
}

/** Yields every problem of a response of the resource; `metadata` is the URL of its document. */
export function* findResourceProblems(status: number, headers: Headers, metadata: string): Generator<string> {
  const challenge = headers.get("www-authenticate");
  if ((challenge !== null) !== (status === 401 || status === 403)) {
    yield `[PR-06] ${status} of the resource has the challenge ${challenge}`;
  }
  if (challenge !== null) {
    const [first = "", ...offers] = challenge.split(/, (?=DPoP )/);
    const link = `resource_metadata="${metadata}"`;
    const isDpop = first.startsWith("DPoP ") && first.includes(`${link}, algs="`);
    const isBearer = first.startsWith("Bearer ") && first.endsWith(link);
    const isOffered = offers.length === (isBearer && status === 401 ? 1 : 0) &&
      offers.every((offer) => offer.startsWith(`DPoP ${link}, algs="`));
    if (!(isDpop || isBearer) || !isOffered) yield `[PR-06, PR-11] the challenge is ${challenge}`;
  }
  if (headers.get("access-control-allow-origin") !== "*") yield `[PR-12] ${status} of the resource is not shared`;
}
