/** What was thrown, as text. */

/** Anything can be thrown, also what refuses to be text. */
export function errorText(cause: unknown): string {
  try {
    return String(cause);
  } catch {
    return "something that cannot be written as text";
  }
}
