/** A fault in something a person wrote down, with its place and how to mend it. */

import { redactSecrets } from "../secret_names.ts";

/** One fault in a setting, for a person. */
export interface ConfigIssue {
  /** Where: `clients[1].redirect_uris[0]`. */
  readonly path: string;
  /** What would have been right, as a noun phrase: `an absolute URL without a fragment`. */
  readonly expected: string;
  /** What was found, quoted where it is text; never a secret. */
  readonly received: string;
  /** How to mend it, one imperative sentence. */
  readonly hint: string;
}

/** A valid setting that probably does not work as intended. */
export interface ConfigurationWarning {
  /** The name of a setting (`scopes`, `clients[1].scope`), a variable or a flag. */
  readonly path: string;
  /** The effect and how to fix it, in full sentences, without secrets. */
  readonly message: string;
}

/** A value as faults show it: strings quoted, redacted and shortened; of objects only the type. */
export function quote(value: unknown): string {
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "an array" : "an object";
  const text = (JSON.stringify(typeof value === "string" ? redactSecrets(value) : value) ?? "nothing").replace(
    /(?! )[\p{C}\p{Z}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}

/** Members that are no list or no text, though their examples are one. Types tell those who have them. */
export function validateTypes(values: object, examples: object): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  for (const [path, example] of Object.entries(examples)) {
    const value: unknown = values[path as keyof typeof values];
    const isList = Array.isArray(example);
    if (value === undefined || (isList ? Array.isArray(value) : typeof value === "string")) continue;
    const expected = isList ? "an array" : "a string";
    issues.push({ path, expected, received: quote(value), hint: `Write it like ${JSON.stringify(example)}.` });
  }
  return issues;
}
