/** The challenge of a response: the header `WWW-Authenticate` (RFC 9110 §11.6.1). */

/** A challenge: the scheme, and its parameters as quoted strings. Parameters that are `undefined` are left out. */
export function challenge(scheme: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${sanitizeQuotedString(value)}"`]
  );
  return pairs.length === 0 ? scheme : `${scheme} ${pairs.join(", ")}`;
}

/** Removes the characters that a quoted string in a header must not contain. */
function sanitizeQuotedString(text: string): string {
  return text.replace(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, "");
}
