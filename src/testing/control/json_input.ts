/** Converts the arguments of a call to JSON. Values that JSON does not have get a JSON form. */

/** The input of a verb as JSON. */
export function toJsonInput(input: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== undefined).map((
      [name, value],
    ) => [name, convert(name, value)]),
  );
}

function convert(name: string, value: unknown): unknown {
  if (typeof value === "function") {
    throw new TypeError(`${name}: expected a value that JSON can represent, received a function`);
  }
  if (value instanceof Date) return value.toISOString();
  if (name === "time" && typeof value === "number") return new Date(value).toISOString();
  if (name === "client" && typeof value === "object" && value !== null && "client_id" in value) return value.client_id;
  // In a change of claims null removes one; in a pattern it is a parameter that must be absent.
  if (["claims", "metadata", "params", "withParams"].includes(name)) {
    if (typeof value !== "object" || value === null) return convert("", value);
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toMember(key, member)]));
  }
  return value;
}

function toMember(name: string, value: unknown): unknown {
  return value === undefined ? null : value instanceof RegExp ? { pattern: value.source } : convert(`.${name}`, value);
}
