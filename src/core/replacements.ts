/** Who replaced which function of a server: for stacks, and for `deno task core`. */

type Call = (...values: never[]) => unknown;

/** A function that was replaced, and who replaced it. */
interface Replacement {
  readonly former: Call | undefined;
  readonly owner: string;
}

const replacements = new WeakMap<Call, Replacement>();

/** Names a function, for stacks. A frozen one keeps its name. */
function named(call: Call, name: string): Call {
  Reflect.defineProperty(call, "name", { value: name, configurable: true });
  return call;
}

/** Names the functions of an object, for stacks. */
export function nameFunctions(object: object, name: string): void {
  for (const call of Object.values(object)) if (typeof call === "function") named(call, name);
}

/**
 * Names the functions that an extension or a plugin has replaced or added, such as `grants.narrow of the extension
 * dpop`.
 *
 * @param owner Whose functions they are.
 */
export function nameReplacements(before: object, after: object, owner: string): void {
  for (const [name, call, former] of differences(before, after)) {
    // A function that another server has too was named for it.
    if (replacements.has(call)) continue;
    replacements.set(named(call, `${name} of ${owner}`), { former, owner });
  }
}

/** Who has replaced a function, the last one first. Who added it has replaced nothing. */
export function ownersOf(call: Call): readonly string[] {
  const found = replacements.get(call);
  return found?.former === undefined ? [] : [found.owner, ...ownersOf(found.former)];
}

/** The functions of a server, also in its members and lists, by name. */
export function functionsOf(server: object): readonly (readonly [name: string, call: Call])[] {
  return differences({}, server).map(([name, call]) => [name, call]);
}

/** The functions that differ, each with the former one. */
function differences(
  before: object,
  after: object,
  path = "",
  depth = 0,
): readonly (readonly [name: string, call: Call, former: Call | undefined])[] {
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(after)
    ? after.map((item, i) => [keyOf(item) ?? String(i), item])
    : Object.entries(after);
  return entries.flatMap(([name, value]) => {
    const former: unknown = Array.isArray(before)
      ? before.find((item, i) => (keyOf(item) ?? String(i)) === name)
      : (before as Readonly<Record<string, unknown>>)[name];
    if (value === former) return [];
    const inner = path === "" ? name : `${path}.${name}`;
    if (typeof value === "function") {
      return [[inner, value as Call, typeof former === "function" ? former as Call : undefined] as const];
    }
    return depth < 2 && typeof value === "object" && value !== null
      ? differences(Object(former), value, inner, depth + 1)
      : [];
  });
}

/** What names an item of a list: a grant type, a method of client authentication, a step, a check. */
function keyOf(item: unknown): string | undefined {
  const { type, method, issues, name, rule } = Object(item) as Readonly<Record<string, string | undefined>>;
  return type ?? method ?? issues ?? name ?? rule;
}
