/** The syntax of scope (OAuth 2.1 §1.4.1). */

/** One scope token: printable ASCII without space, quote and backslash. */
export const scopeToken: RegExp = /^[\x21\x23-\x5B\x5D-\x7E]+$/;

/** Splits a scope value into its tokens, each once. */
export function splitScope(text: string): string[] {
  const tokens = text.split(" ").filter((token) => token !== "");
  if (tokens.length < 2) return tokens;
  const distinct = new Set(tokens);
  return distinct.size === tokens.length ? tokens : [...distinct];
}
