/** The text as it stands inside a sentence: `access token`, but `ID token`, whose first word is an abbreviation. */
export function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

/** The text as it begins a row or a sentence. A name such as `redirect_uri`, and a URL, stay as they are. */
export function upperFirst(text: string): string {
  return /^(?:\w+_|[a-z][a-z\d+.-]*:)/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
}
