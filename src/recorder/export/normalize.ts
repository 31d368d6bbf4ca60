/** Exchanges without anything that is different each time: secrets and what clients draw by name, times by none. */

import type { Exchange } from "../exchange.ts";
import { maskExchanges } from "../redact.ts";

/** What is another each time and yet no secret. */
const drawn: Readonly<Record<string, string>> = {
  state: "state",
  nonce: "nonce",
  code_challenge: "code_challenge",
  jti: "jti",
  sid: "sid",
  kid: "kid",
  at_hash: "at_hash",
};

const timeMembers = new Set(["exp", "iat", "nbf", "auth_time"]);
const someTime = "{{time}}";

/** The exchanges with each value under a name, such as `{{code 1}}`, in the order of appearance. */
export function stableExchanges(exchanges: readonly Exchange[]): Exchange[] {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  const name = (value: string, kind: string): string => {
    const known = names.get(value);
    if (known !== undefined) return known;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    names.set(value, `{{${kind} ${count}}}`);
    return names.get(value)!;
  };
  const settle = (text: string) =>
    text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, someTime)
      .replace(/sha256:[\w-]{10}…/g, (fingerprint) => name(fingerprint, "fingerprint"));
  return maskExchanges(exchanges, { mask: name, further: drawn }).map((exchange) => {
    const { held, refusal, warnings, answer } = exchange;
    return {
      ...exchange,
      held: held.map((one) => ({ ...one, ...one.value !== undefined && { value: settle(one.value) } })),
      ...refusal && { refusal: { ...refusal, why: mapTexts(refusal.why, settle) } },
      warnings: warnings.map((why) => mapTexts(why, settle)),
      ...answer?.body !== undefined && { answer: { ...answer, body: withoutMemberTimes(answer.body) } },
    };
  });
}

function mapTexts<T extends object>(texts: T, change: (text: string) => string): T {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, typeof text === "string" ? change(text) : text]),
  ) as T;
}

function withoutMemberTimes(body: string): string {
  try {
    return JSON.stringify(
      JSON.parse(body, (name, value) => timeMembers.has(name) && typeof value === "number" ? someTime : value),
    );
  } catch {
    return body;
  }
}
