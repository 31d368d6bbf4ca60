/** Runs attacks, and says of each what went wrong. */

import type fc from "fast-check";
import { demoSecret } from "../../src/server/config/demo_entries.ts";
import { verifier } from "../kit.ts";
import { findResponseSecrets } from "../secrets.ts";
import { type Attack, attacks, buildRequest, emptyState, type ReceivedResponse, updateState } from "./attack.ts";
import { encodePairs, getBody, getPath, type RequestDraft, toRequest } from "./request_draft.ts";
import { findProblems } from "./response_checks.ts";
import { type AttackedServer, password, serverKinds, startServer } from "./servers.ts";

/** Timeout of a response, in milliseconds. */
const responseTimeoutMs = 60_000;

/** Any attack. */
export const attack: fc.Arbitrary<Attack> = attacks(serverKinds.length);

/** Result of an attack: the problems of every response, and the number of requests. */
export interface AttackResult {
  readonly problems: readonly string[];
  readonly requests: number;
}

/** Fails with the problems of an attack, one per line; returns the number of requests. */
export async function assertAttackFails(attack: Attack): Promise<number> {
  const { problems, requests } = await runAttack(attack);
  if (problems.length > 0) throw new Error(`${problems.length} faults\n${problems.join("\n")}`);
  return requests;
}

/** Attacks a new server, and checks every response, and the log at the end. `on`: another server kind. */
export async function runAttack({ serverKind, steps }: Attack, on = serverKinds[serverKind]!): Promise<AttackResult> {
  const server = await startServer(on);
  const { as, events } = server;
  const state = emptyState();
  const problems: string[] = [];
  // Documents are not among the registered clients.
  const uris = new Set(server.kind.clients.flatMap(({ metadata }) => metadata.redirect_uris ?? []));
  const secrets = new Set([verifier, password]);
  for (const { metadata: { client_secret } } of server.clients) {
    // The demo client's is public knowledge, and shown.
    if (client_secret !== undefined && client_secret !== demoSecret) secrets.add(client_secret);
  }
  const exchanges = new Map<string, number>();
  let requests = 0;
  const register = () => {
    for (const client of as.clients.known().values()) {
      const { post_logout_redirect_uris = [] } = client.metadata;
      for (const uri of [...client.redirectUris, ...post_logout_redirect_uris]) uris.add(uri);
    }
  };
  for (const [i, step] of steps.entries()) {
    const sent = await buildRequest(server, state, step);
    if (sent === undefined) continue;
    register();
    requests++;
    let response: ReceivedResponse;
    try {
      response = await withTimeout(sendRequest(server, sent));
    } catch (error) {
      problems.push(`step ${i + 1}, ${formatRequestLine(sent)}: ${error instanceof Error ? error.stack : error}`);
      break;
    }
    register();
    updateState(server, state, sent, response);
    for (const problem of findProblems(server, uris, sent, response)) {
      problems.push(`step ${i + 1}, ${formatRequestLine(sent)}: ${problem}`);
    }
    for (const secret of findResponseSecrets(response.headers, response.text)) secrets.add(secret);
    const credential = findExchangedCredential(server, sent, response);
    if (credential === undefined) continue;
    const times = (exchanges.get(credential) ?? 0) + 1;
    exchanges.set(credential, times);
    if (times > 1) problems.push(`step ${i + 1}: [CI-06, RT-04] exchanged ${times} times: ${credential}`);
  }
  for (const event of events) {
    if (event.type !== "internal_error") continue;
    const { cause } = event;
    problems.push(`[HT-18] a bug at ${event.endpoint}: ${cause instanceof Error ? cause.stack : cause}`);
  }
  const log = server.lines.join("\n") + JSON.stringify(events);
  for (const secret of secrets) {
    if (log.includes(secret)) {
      problems.push(`[HT-15] the log holds ${secret}: ${server.lines.find((line) => line.includes(secret))}`);
    }
  }
  await as.close();
  return { problems: [...new Set(problems)], requests };
}

async function sendRequest({ as }: AttackedServer, sent: RequestDraft): Promise<ReceivedResponse> {
  const response = await as.fetch(toRequest(sent, as.issuer) as Request, { address: "203.0.113.7" });
  const { status, headers } = response;
  if (headers.get("content-type") !== "text/event-stream") return { status, headers, text: await response.text() };
  // It has no end.
  await response.body?.cancel();
  return { status, headers, text: "" };
}

/** What was paid for these tokens, where it may be paid once only. */
function findExchangedCredential(
  { kind, as }: AttackedServer,
  sent: RequestDraft,
  { status, text }: ReceivedResponse,
): string | undefined {
  if (status !== 200 || !text.includes('"access_token"') || !getPath(sent).endsWith("/token")) return undefined;
  const form = new URLSearchParams(new TextDecoder().decode(getBody(sent)));
  if (form.get("grant_type") === "authorization_code") return `code ${form.get("code")}`;
  const client = as.clients.known().get(form.get("client_id") ?? "");
  if (form.get("grant_type") !== "refresh_token" || kind.forgives || client?.confidential !== false) return undefined;
  return `refresh token ${form.get("refresh_token")}`;
}

function formatRequestLine({ method, path, query, rawQuery }: RequestDraft): string {
  return `${method} ${path}?${rawQuery ?? encodePairs(query)}`.slice(0, 300);
}

async function withTimeout<T>(response: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${responseTimeoutMs} ms`)), responseTimeoutMs);
  });
  return await Promise.race([response, timeout]).finally(() => clearTimeout(timer));
}
