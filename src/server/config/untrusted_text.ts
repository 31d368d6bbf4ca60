/**
 * Limits of the texts in the metadata of a client that the operator does not know: their length, and the characters of
 * names.
 */

import { quote } from "./config_issue.ts";
import type { ConfigIssue } from "../../core/rules/configuration_error.ts";
import type { ClientMetadata } from "./client_metadata.ts";

/** Maximum lengths, in characters. */
const maxNameLength = 200;
const maxTextLength = 2048;

/** Control characters, and characters that change the direction of the text around them (Unicode UAX #9). */
const forbiddenInName = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u;

/** The issues of the texts. `scope` has no limit of its own: its values must be scope values of the server. */
export function validateUntrustedText(metadata: Partial<ClientMetadata>): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  for (const [name, value] of Object.entries(metadata)) {
    if (name === "scope") continue;
    const limit = name === "client_name" ? maxNameLength : maxTextLength;
    for (const [i, text] of (Array.isArray(value) ? value : [value]).entries()) {
      if (typeof text !== "string" || text.length <= limit) continue;
      issues.push({
        path: Array.isArray(value) ? `${name}[${i}]` : name,
        expected: `at most ${limit} characters`,
        received: `${text.length} characters`,
        hint: "Shorten it.",
      });
    }
  }
  const { client_name } = metadata;
  if (typeof client_name === "string" && client_name.length <= maxNameLength && !isName(client_name)) {
    issues.push({
      path: "client_name",
      expected: "a visible name without control characters and characters that change the direction of text",
      received: quote(client_name),
      hint: "Remove these characters.",
    });
  }
  return issues;
}

function isName(text: string): boolean {
  return isReadable(text) && !forbiddenInName.test(text);
}

/**
 * Characters that are not shown (Unicode, `Default_Ignorable_Code_Point`), and the blank of Braille. Joiners, marks of
 * direction and variation selectors are parts of words and emoji.
 */
const invisible = /(?![\u200C-\u200F]|\p{Variation_Selector})\p{Default_Ignorable_Code_Point}|\u2800/u;

/** A character that is shown. */
const visible = /(?!\p{Default_Ignorable_Code_Point}|\u2800)[\p{L}\p{N}\p{P}\p{S}]/u;

/** Whether the text has a visible character, and no character that is invisible by itself. */
export function isReadable(text: string): boolean {
  return visible.test(text) && !invisible.test(text);
}
