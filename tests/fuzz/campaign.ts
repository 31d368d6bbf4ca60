/** Runs attacks, and says of each what went wrong. */

import type fc from "fast-check";
import { demoSecret } from "../../src/oauth/config/settings.ts";
import { verifier } from "../flows/harness.ts";
import { secretsInAnswer } from "../secrets.ts";
import { attacks, emptyHand, take, write } from "./attack.ts";
import type { Answered, Attack } from "./attack.ts";
import { bodyOf, encodePairs, pathOf, sealed } from "./draft.ts";
import type { Draft } from "./draft.ts";
import { faultsOf } from "./verdict.ts";
import { besiege, password, worlds } from "./world.ts";
import type { Siege } from "./world.ts";

/** Milliseconds after which an answer is taken never to come. */
const patience = 8_000;

/** Any attack. */
export const attack: fc.Arbitrary<Attack> = attacks(worlds.length);

/** What an attack came to: every fault of every answer, and how many requests it was. */
export interface Outcome {
  readonly faults: readonly string[];
  readonly requests: number;
}

/** Fails with every fault of an attack, one a line; gives back how many requests it was. */
export async function survive(attack: Attack): Promise<number> {
  const { faults, requests } = await launch(attack);
  if (faults.length > 0) throw new Error(`${faults.length} faults\n${faults.join("\n")}`);
  return requests;
}

/** Attacks a new server, and judges every answer, and the log at the end. `on`: another kind than the one named. */
export async function launch({ world, steps }: Attack, on = worlds[world]!): Promise<Outcome> {
  const siege = await besiege(on);
  const { as, events } = siege;
  const hand = emptyHand();
  const faults: string[] = [];
  const uris = new Set<string>();
  const secrets = new Set([verifier, password]);
  for (const { metadata: { client_secret } } of siege.clients) {
    // The demo client's is public knowledge, and shown.
    if (client_secret !== undefined && client_secret !== demoSecret) secrets.add(client_secret);
  }
  const spent = new Map<string, number>();
  let requests = 0;
  const register = () => {
    for (const client of as.clients.all()) {
      for (const uri of [...client.redirectUris, ...client.postLogoutRedirectUris]) uris.add(uri);
    }
  };
  for (const [i, step] of steps.entries()) {
    const sent = await write(siege, hand, step);
    if (sent === undefined) continue;
    register();
    requests++;
    let answered: Answered;
    try {
      answered = await inTime(answerTo(siege, sent));
    } catch (error) {
      faults.push(`step ${i + 1}, ${lineOf(sent)}: ${error instanceof Error ? error.stack : error}`);
      break;
    }
    register();
    take(siege, hand, sent, answered);
    for (const fault of faultsOf(siege, uris, sent, answered)) faults.push(`step ${i + 1}, ${lineOf(sent)}: ${fault}`);
    for (const secret of secretsInAnswer(answered.headers, answered.text)) secrets.add(secret);
    const redeemed = redeemedBy(siege, sent, answered);
    if (redeemed === undefined) continue;
    const times = (spent.get(redeemed) ?? 0) + 1;
    spent.set(redeemed, times);
    if (times > 1) faults.push(`step ${i + 1}: [CI-06, RT-04] redeemed ${times} times: ${redeemed}`);
  }
  for (const event of events) {
    if (event.type !== "bug") continue;
    const { cause } = event;
    faults.push(`[HT-18] a bug at ${event.endpoint}: ${cause instanceof Error ? cause.stack : cause}`);
  }
  const log = siege.lines.join("\n") + JSON.stringify(events);
  for (const secret of secrets) {
    if (log.includes(secret)) {
      faults.push(`[HT-15] the log holds ${secret}: ${siege.lines.find((line) => line.includes(secret))}`);
    }
  }
  await as.close();
  return { faults: [...new Set(faults)], requests };
}

async function answerTo({ as }: Siege, sent: Draft): Promise<Answered> {
  const answer = await as.fetch(sealed(sent, as.issuer) as Request, { address: "203.0.113.7" });
  const { status, headers } = answer;
  if (headers.get("content-type") !== "text/event-stream") return { status, headers, text: await answer.text() };
  // It has no end.
  await answer.body?.cancel();
  return { status, headers, text: "" };
}

/** What was paid for these tokens, where it may be paid once only. */
function redeemedBy({ world, as }: Siege, sent: Draft, { status, text }: Answered): string | undefined {
  if (status !== 200 || !text.includes('"access_token"') || !pathOf(sent).endsWith("/oauth2/token")) return undefined;
  const form = new URLSearchParams(new TextDecoder().decode(bodyOf(sent)));
  if (form.get("grant_type") === "authorization_code") return `code ${form.get("code")}`;
  const client = as.clients.find(form.get("client_id") ?? "");
  if (form.get("grant_type") !== "refresh_token" || world.forgives || client?.confidential !== false) return undefined;
  return `refresh token ${form.get("refresh_token")}`;
}

function lineOf({ method, path, query, rawQuery }: Draft): string {
  return `${method} ${path}?${rawQuery ?? encodePairs(query)}`.slice(0, 300);
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${patience} ms`)), patience);
  });
  return await Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
