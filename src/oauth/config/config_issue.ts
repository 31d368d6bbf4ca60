/** An invalid setting and a setting with a warning, and how messages quote text. */

import { redactSecrets } from "../secret_names.ts";

/** An invalid setting. */
export interface ConfigIssue {
  /** The place: `clients[1].redirect_uris[0]`. */
  readonly path: string;
  /** A valid value as a noun phrase: `an absolute URL without a fragment`. */
  readonly expected: string;
  /** The value, quoted if it is a string; never a secret. */
  readonly received: string;
  /** How to fix it, in one imperative sentence. */
  readonly hint: string;
}

/** A valid setting that probably does not work as intended. */
export interface ConfigurationWarning {
  /** The name of a setting (`scopes`, `clients[1].scope`), a variable or a flag. */
  readonly path: string;
  /** The effect and how to fix it, in full sentences, without secrets. */
  readonly message: string;
}

// Control characters, bidirectional marks and line separators would act on a terminal; the other spaces look like one.
const unprintablePattern = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/** The text with escapes for all characters that act on a terminal. */
export function printable(text: string): string {
  return text.replace(unprintablePattern, (mark) => mark.split("").map(escapeUnit).join(""));
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

const maxQuotedChars = 100;

/** A value on one line, as messages show it: strings quoted, redacted and shortened; of objects only the type. */
export function quote(value: unknown): string {
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "an array" : "an object";
  if (typeof value !== "string") return typeof value === "number" ? String(value) : JSON.stringify(value) ?? "nothing";
  const text = redactSecrets(value);
  const shown = text.length > maxQuotedChars
    ? `${text.slice(0, maxQuotedChars).replace(/[\ud800-\udbff]$/, "")}…`
    : text;
  return printable(JSON.stringify(shown));
}
