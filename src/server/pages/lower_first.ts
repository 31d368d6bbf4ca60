/** The text as it stands inside a sentence: `access token`, but `ID token`, whose first word is an abbreviation. */
export function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

/** The text as it begins a row or a heading. A name such as `redirect_uri` stays as it is on the wire. */
export function upperFirst(text: string): string {
  return /^\w+_/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
}
