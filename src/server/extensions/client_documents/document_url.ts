/** Which URLs may be the `client_id` of a metadata document. */

import { OAuthError } from "../../oauth/errors.ts";

/** Maximum length, as for every client id. */
const maxLength = 256;

/** Patterns of rejected URLs, in the order of the checks. */
const faults: readonly { readonly pattern: RegExp; readonly expected: string }[] = [
  { pattern: /[^\x21-\x7E]/, expected: "a URL without spaces, control characters and characters outside of ASCII" },
  { pattern: /\\/, expected: "a URL without a backslash" },
  { pattern: /#/, expected: "a URL without a fragment" },
  { pattern: /^(?!https:\/\/)/i, expected: "an https URL" },
  { pattern: /^https:\/\/[^/?]*@/i, expected: "a URL without user and password" },
  { pattern: /^https:\/\/[^/?]*(?:\?|$)/i, expected: "a URL with a path: at least a slash after the host" },
  { pattern: /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i, expected: "a URL without the path segments . and .." },
];

/**
 * The URL of a metadata document.
 *
 * @throws {OAuthError} `invalid_client`, if a `client_id` may not be this URL.
 */
export function assertDocumentUrl(id: string): URL {
  const expected = id.length > maxLength
    ? `a URL of at most ${maxLength} characters`
    : faults.find(({ pattern }) => pattern.test(id))?.expected ?? expectedSpelling(id);
  if (expected === undefined) return new URL(id);
  throw new OAuthError("invalid_client", "client_id is not a URL that a metadata document may have", {
    rule: "MC-03",
    expected,
    received: id.slice(0, maxLength),
  });
}

/**
 * A URL must be in its serialized form: another spelling would identify another client on the same host. Only the
 * default port may be written out, as the draft allows (§3).
 */
function expectedSpelling(id: string): string | undefined {
  if (!URL.canParse(id)) return "a URL";
  const { href } = new URL(id);
  return href === id.replace(/^(https:\/\/[^/?]+):443(?=\/)/, "$1") ? undefined : `the URL in its normal form, ${href}`;
}
