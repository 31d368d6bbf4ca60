/** Makes exchanges of different runs comparable: secrets, random values and times become placeholders. */

import type { Exchange } from "../exchange.ts";
import { redactExchanges } from "../redact.ts";

/** The parameters that differ between runs but are not secret. */
const generatedNames = Object.fromEntries(
  ["state", "nonce", "code_challenge", "jti", "sid", "kid", "at_hash"].map((name) => [name, name]),
);

const timeMembers = new Set(["exp", "iat", "nbf", "auth_time"]);
const timePlaceholder = "{{time}}";

/** Minimum length of a value that is replaced in a sentence, in characters: a shorter one may be a part of a word. */
const minQuotedChars = 8;

/** Replaces each value by a placeholder, such as `{{code 1}}`, numbered in the order of appearance. */
export function normalizeExchanges(exchanges: readonly Exchange[]): Exchange[] {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  const placeholderFor = (value: string, kind: string): string => {
    const existing = names.get(value);
    if (existing !== undefined) return existing;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    names.set(value, `{{${kind} ${count}}}`);
    return names.get(value)!;
  };
  const normalizeText = (text: string) => {
    let normalized = text;
    // Explanations quote random values, such as a challenge.
    for (const [value, placeholder] of names) {
      if (value.length >= minQuotedChars) normalized = normalized.replaceAll(value, () => placeholder);
    }
    return normalized.replace(/(?<![\w-])[\w-]{43}(?![\w-])/g, (value) => placeholderFor(value, "value"))
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, timePlaceholder)
      .replace(/sha256:[\w-]{10}…/g, (fingerprint) => placeholderFor(fingerprint, "fingerprint"));
  };
  return redactExchanges(exchanges, { redactSecret: placeholderFor, extraSecretNames: generatedNames }).map(
    (exchange) => {
      const { passed, rejection, warnings, response } = exchange;
      return {
        ...exchange,
        passed: passed.map((check) => ({
          ...check,
          ...check.value !== undefined && { value: normalizeText(check.value) },
        })),
        ...rejection && { rejection: { ...rejection, explanation: mapTexts(rejection.explanation, normalizeText) } },
        warnings: warnings.map((explanation) => mapTexts(explanation, normalizeText)),
        ...response?.body !== undefined && { response: { ...response, body: replaceTimes(response.body) } },
      };
    },
  );
}

function mapTexts<T extends object>(texts: T, change: (text: string) => string): T {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, typeof text === "string" ? change(text) : text]),
  ) as T;
}

function replaceTimes(body: string): string {
  try {
    return JSON.stringify(
      JSON.parse(body, (name, value) => timeMembers.has(name) && typeof value === "number" ? timePlaceholder : value),
    );
  } catch {
    return body;
  }
}
