/**
 * Settings for client libraries as texts with placeholders.
 *
 * `{{name}}` is a value, quoted for the language of the text; `{{name:shell}}` a word for a POSIX shell.
 * `{{?one !other}}…{{/}}` is a block, written only if `one` has a value and `other` has none. It is a part of a line, a
 * whole line, or several lines.
 */

import type { ClientAuthMethod } from "../../../server/oauth/clients/client.ts";
import { shellQuote } from "../../../server/endpoints/shared/shell_quote.ts";

/**
 * What a client must do, so that its library must support it: `par`: push each authorization request (RFC 9126).
 * `jar`: sign it (RFC 9101). `jarm`: receive signed responses. `dpop`: bind tokens to a key (RFC 9449).
 */
export type ClientDemand = "par" | "jar" | "jarm" | "dpop";

/** The values of a text, by name. */
export type SnippetValues = Readonly<Record<string, string | readonly string[] | boolean | undefined>>;

/** The settings for one library. */
export interface SnippetText {
  /** Its name in addresses and on the command line. */
  readonly name: string;
  /** Its name on pages. */
  readonly library: string;
  /** The file or language: `application.yml`. */
  readonly placement: string;
  /** Further names that select it on the command line. Default: none. */
  readonly aliases?: readonly string[];
  /** The redirect URI of an application that follows the guide of the library. */
  readonly redirectUri: string;
  /** The redirect URIs of its other guides. Default: none. */
  readonly otherRedirectUris?: readonly string[];
  /** Whether its applications cannot keep a secret. Default: they can. */
  readonly isPublic?: true;
  /** The methods of authentication that it supports, the preferred one first. Default: all. */
  readonly methods?: readonly ClientAuthMethod[];
  /** What it supports besides a plain request. Default: nothing. */
  readonly demands?: readonly ClientDemand[];
  /** Set if the library is only for logins to web applications: the scope values that it always requests. */
  readonly webScope?: readonly string[];
  /** Why the library does not support a client for another reason. */
  unfit?(values: SnippetValues): string | undefined;
  /** Further values. */
  derive?(values: SnippetValues): SnippetValues;
  /** A literal of the language. Default: a string of JSON, which JavaScript, Go, C#, Python and YAML read alike. */
  quote?(text: string): string;
  /** The settings. */
  readonly text: string;
  /** Notes, one a line. Default: none. */
  readonly notes?: string;
}

/** A block that has no block inside: of whole lines, or within a line. */
const innermost =
  /^\{\{\?([^{}]+)\}\}((?:(?!\{\{[?/])[^])*)\{\{\/\}\}\n|\{\{\?([^{}]+)\}\}((?:(?!\{\{[?/])[^])*)\{\{\/\}\}/gm;

/** Fills in a text. A value is never read as a part of the text. */
export function fillIn(
  text: string,
  values: SnippetValues,
  quote: (text: string) => string = JSON.stringify,
): string {
  const holds = (conditions: string) =>
    conditions.split(" ").every((name) => name.startsWith("!") ? !values[name.slice(1)] : Boolean(values[name]));
  let filled = `${text.trim()}\n`;
  while (filled.includes("{{?")) {
    filled = filled.replace(innermost, (_, lineCondition, lines, condition, part) => {
      if (condition !== undefined) return holds(condition) ? part : "";
      return holds(lineCondition) ? `${lines.replace(/^\n|\n$/g, "")}\n` : "";
    });
  }
  return filled.trimEnd().replaceAll(
    /\{\{(\w+)(:shell)?\}\}/g,
    (_, name, shell) =>
      [values[name] ?? ""].flat().map((value) => (shell ? shellQuote : quote)(String(value))).join(", "),
  );
}
