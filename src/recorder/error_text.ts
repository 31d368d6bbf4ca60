/** Thrown values as text. */

/** Converts a thrown value to text. It never throws, although the `toString` of the value may. */
export function errorText(cause: unknown): string {
  try {
    return String(cause);
  } catch {
    return "a value without a text form";
  }
}
