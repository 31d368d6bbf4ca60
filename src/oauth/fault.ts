/** A fault in something a person wrote down, with its place and how to mend it. */

import { hideSecrets } from "./secret_names.ts";

/** One fault in a setting, for a person. */
export interface Fault {
  /** Where: `clients[1].redirect_uris[0]`. */
  readonly place: string;
  /** What would have been right, as a noun phrase: `an absolute URL without a fragment`. */
  readonly expected: string;
  /** What was found, quoted where it is text; never a secret. */
  readonly found: string;
  /** How to mend it, one imperative sentence. */
  readonly mend: string;
}

/** Something in the configuration that works, but probably not as intended. */
export interface ConfigurationWarning {
  /** Where: the name of a setting (`scopes`, `clients[1].scope`), a variable or a flag. */
  readonly path: string;
  /** What happens because of it, and how to fix it, in full sentences; never a secret. */
  readonly message: string;
}

/** A value as a fault shows it: text quoted, without secrets in it, and shortened when it is long; objects by their kind. */
export function quote(value: unknown): string {
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "an array" : "an object";
  const text = (JSON.stringify(typeof value === "string" ? hideSecrets(value) : value) ?? "nothing").replace(
    /(?! )[\p{C}\p{Z}]/gu,
    (mark) => `\\u{${mark.codePointAt(0)!.toString(16)}}`,
  );
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}
