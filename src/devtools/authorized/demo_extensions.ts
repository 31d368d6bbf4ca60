/**
 * What a demo flow adds to the plain authorization request. Its `state` carries it, because the server stores nothing.
 */

import { HttpError } from "../../platform/http/message.ts";

/**
 * `par`: the request is pushed. `jar`: it is signed. `dpop`: its tokens are bound to a key. The others are parameters.
 */
const extensionNames = ["par", "jar", "dpop", "response_mode", "acr_values", "authorization_details"] as const;

/** The chosen extensions, with the values of their parameters. */
export type DemoExtensions = Readonly<Partial<Record<(typeof extensionNames)[number], string>>>;

/** Maximum length of their text, in characters. */
const maxTextLength = 900;

/** Reads the fields of the form. @throws {HttpError} 400 if they are too long. */
export function readExtensions(fields: URLSearchParams): DemoExtensions {
  const extensions: DemoExtensions = Object.fromEntries(extensionNames.flatMap((name) => {
    const value = fields.get(name)?.trim();
    return value ? [[name, name === "authorization_details" ? compactJson(value) : value]] : [];
  }));
  const { length } = serializeExtensions(extensions);
  if (length <= maxTextLength) return extensions;
  throw new HttpError(400, "DM-17", "The values of the extensions are too long for this page", {
    expected: `at most ${maxTextLength} characters as JSON`,
    received: `${length} characters`,
  });
}

/** JSON without its white space; any other text unchanged, for the server to reject. */
function compactJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

/** Writes extensions as printable ASCII; an empty text without extensions. */
export function serializeExtensions(extensions: DemoExtensions): string {
  if (Object.keys(extensions).length === 0) return "";
  return JSON.stringify(extensions).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Reads the result of {@link serializeExtensions}. */
export function parseExtensions(text: string): DemoExtensions {
  return text === "" ? {} : JSON.parse(text);
}
