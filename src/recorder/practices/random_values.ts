/** Recognizes values that are not random. */

import { decodeBase64url } from "../../core/keys/crypto.ts";

/** Half the width of the period in which a number counts as a current time, in seconds. */
const timeToleranceSeconds = 10 * 365 * 24 * 3600;

/** Whether a text is a time near `now` (milliseconds since the epoch): in seconds, in milliseconds, or as a date. */
export function looksLikeTime(text: string, now: number): boolean {
  if (/^\d{4}-\d\d-\d\dT/.test(text)) return true;
  if (!/^\d{10}(?:\d{3})?(?:\.\d+)?$/.test(text)) return false;
  const seconds = Number(text) / (text.split(".")[0]!.length === 13 ? 1000 : 1);
  return Math.abs(seconds - now / 1000) < timeToleranceSeconds;
}

/** The readable format of a text: `JSON`, `a URL`, `an email address` or `a time`; `undefined` if it looks random. */
export function readableAs(text: string, now: number): string | undefined {
  if (looksLikeTime(text, now)) return "a time";
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

/** The number at the end of a text, and the text before it: `state-7` has the prefix `state-` and the count 7. */
export function counterOf(text: string): { readonly prefix: string; readonly count: number } | undefined {
  const { prefix, count } = /^(?<prefix>\D*)(?<count>\d{1,12})$/.exec(text)?.groups ?? {};
  return prefix === undefined ? undefined : { prefix, count: Number(count) };
}
