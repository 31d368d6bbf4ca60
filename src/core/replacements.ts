/** Names functions after their owner, for stacks. */

/** Names the functions of an object. A frozen function keeps its name. */
export function nameFunctions(object: object, name: string): void {
  for (const call of Object.values(object)) {
    if (typeof call === "function") Reflect.defineProperty(call, "name", { value: name, configurable: true });
  }
}

/**
 * Names the functions that an extension or a plugin has replaced or added, such as `grants.create of the extension
 * tenants`.
 *
 * @param owner Their owner.
 * @param path Of the object in the server, with a dot at its end. Default: the server itself.
 */
export function nameReplacements(before: object, after: object, owner: string, path = ""): void {
  for (const [key, value] of Object.entries(after)) {
    const former = Array.isArray(before)
      ? before.find((item) => item === value) ?? before.find((item) => nameOf(item) === nameOf(value))
      : (before as Readonly<Record<string, unknown>>)[key];
    if (former === value) continue;
    const name = path + (Array.isArray(after) ? nameOf(value) ?? key : key);
    if (typeof value === "function") {
      nameFunctions([value], `${name} of ${owner}`);
    } else if (typeof value === "object" && value !== null && path.split(".").length < 4) {
      nameReplacements(Object(former), value, owner, `${name}.`);
    }
  }
}

/** The name of a row of a list: a grant type, a method of client authentication, a step, a check. */
function nameOf(row: unknown): string | undefined {
  const { type, method, name, rule } = Object(row) as Readonly<Record<string, string | undefined>>;
  return type ?? method ?? name ?? rule;
}
