/** A `+` in a parameter that was decoded as a space. */

/** The fix for a hint that looks like an e-mail address whose `+` was decoded as a space; `undefined` for any other. */
export function decodedPlusFix(hint: string): string | undefined {
  return /^[^@\s]+ [^@]*@/.test(hint)
    ? "Encode the + of the address as %2B: in a URL or form, + means a space."
    : undefined;
}
