/** Converts values that JSON does not have. */

/** The members with `undefined` for `null`: in a change of claims both remove a claim. */
export function withoutNulls(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, value ?? undefined]));
}
