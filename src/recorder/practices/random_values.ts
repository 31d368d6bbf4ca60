/** Recognizes values that are not random, or not new. */

import { digest } from "../../core/keys/secrets.ts";
import { decodeBase64url } from "../../core/keys/crypto.ts";
import { type PracticeCheck, type RequestFinding, toEvidence } from "./practice.ts";
import type { Exchange } from "../exchange.ts";

/** A value of one login that must be random. */
export interface LoginValue {
  readonly exchange: Exchange;
  readonly value: string;
  /** What others see of the same login, by name: a value that can be computed from it is no secret. */
  readonly known?: Readonly<Record<string, string | undefined>>;
}

/** Fewer bits can be guessed: a counter and a time have far fewer, a UUID and 12 random characters have more. */
const minBits = 48;

/** The shortest text that shows that one value contains another. */
const minContained = 8;

/**
 * Finds values that are not random: with few characters that differ from those of another login (a counter, a time, a
 * constant beginning or end), or computed from what others see. One login shows only the last.
 */
export async function examineRandomness(
  values: readonly LoginValue[],
  parameter: string,
  name = parameter,
): Promise<PracticeCheck> {
  const findings = await Promise.all(values.map(async (one) => {
    const problem = await computedFrom(one, name) ?? guessable(one, values, name);
    return problem === undefined ? [] : [toEvidence(one, { parameter, ...problem })];
  }));
  const isSeen = values.length > 1 || findings.flat().length > 0;
  return { seen: isSeen ? values.map(({ exchange }) => exchange) : [], findings: findings.flat() };
}

/** The name of a public value from which a value can be computed. */
async function computedFrom({ value, known = {} }: LoginValue, name: string): Promise<RequestFinding | undefined> {
  for (const [source, other] of Object.entries(known)) {
    if (other === undefined || other.length < minContained) continue;
    if (value === other) return { because: `the ${name} is the same as ${source}` };
    const hash = await digest(other);
    const hex = [...decodeBase64url(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    if ([other, hash, hex].some((text) => value.includes(text)) || other.includes(value)) {
      return { because: `the ${name} can be computed from ${source}` };
    }
  }
  return undefined;
}

function guessable(one: LoginValue, values: readonly LoginValue[], name: string): RequestFinding | undefined {
  const others = values.filter(({ value }) => value !== one.value);
  const weak = others.find(({ value }) => bitsOf(ownPart(one.value, value)) < minBits);
  if (weak === undefined) return undefined;
  // A random value may begin or end like a short one, which is no fault of the random one.
  const isByItself = bitsOf(one.value) < minBits && bitsOf(ownPart(weak.value, one.value)) >= minBits;
  const length = isByItself ? one.value.length : ownPart(one.value, weak.value).length;
  return length === one.value.length
    ? { because: `the ${name} has ${length} ${length === 1 ? "character" : "characters"}, which can be guessed` }
    : {
      because:
        `only ${length} of the ${one.value.length} characters of the ${name} differ from those of another request`,
      others: [weak.exchange],
    };
}

/** A value without the beginning and the end that it has in common with another one. */
function ownPart(value: string, other: string): string {
  let start = 0;
  while (start < value.length && value[start] === other[start]) start++;
  let end = 0;
  while (end < value.length - start && end < other.length - start && value.at(-1 - end) === other.at(-1 - end)) end++;
  return value.slice(start, value.length - end);
}

/** The most bits that a text of these characters can have. */
function bitsOf(text: string): number {
  const alphabet = /^\d*$/.test(text) ? 10 : /^[\da-f-]*$/i.test(text) ? 16 : 64;
  return text.length * Math.log2(Math.min(alphabet, Math.max(1, new Set(text).size)));
}

/** The readable format of a text: `JSON`, `a URL` or `an email address`; `undefined` if it looks random. */
export function readableAs(text: string): string | undefined {
  for (const candidate of [text, decodeText(text), ...text.split(".").map(decodeText)]) {
    if (candidate === undefined) continue;
    if (isJson(candidate)) return "JSON";
    if (/^(?:https?:\/\/|\/)[\w.~%/?=&:-]+$/.test(candidate) && candidate.length > 1) return "a URL";
    if (/^[\w.+-]+@[\w-]+\.[\w.-]+$/.test(candidate)) return "an email address";
  }
  return undefined;
}

/** Whether a text is a JSON object or array. */
function isJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Base64 or base64url as text; `undefined` if it is neither. */
function decodeText(text: string): string | undefined {
  try {
    const bytes = decodeBase64url(text.replaceAll("+", "-").replaceAll("/", "_").replace(/(?<!=)=+$/, ""));
    return bytes.length < 4 ? undefined : new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
