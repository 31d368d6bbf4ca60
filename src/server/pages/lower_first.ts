/** The text as it stands inside a sentence: `access token`, but `ID token`, whose first word is an abbreviation. */
export function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}
