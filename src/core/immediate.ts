/**
 * The functions of extensions and plugins that must return immediately. Written `async` by mistake, they would return a
 * promise: it counts as true and has no members, so a server would permit what it should not, and its rejection would
 * end the process.
 */

/**
 * The result of such a function.
 *
 * @param name The function and whose it is, such as `metadata of the extension policy`.
 * @throws {TypeError} If it is a promise.
 */
export function immediate<T>(name: string, result: T): T {
  if (!isThenable(result)) return result;
  ignoreRejection(result);
  throw new TypeError(`expected ${name} to return immediately, received a promise. Do not declare the function async.`);
}

/** Ignores that a listener, whose result nothing reads, rejects. */
export function ignoreRejection(result: unknown): void {
  if (isThenable(result)) result.then(undefined, () => {});
}

/** A program may have replaced `Promise`, so its class says nothing. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === "function";
}

/** The functions of `Server`, and of its members, that must return immediately; `listeners` return nothing. */
const functions = {
  grants: ["isEmpty"],
  receipt: ["read", "schemes", "challenge"],
} as const;
const ownFunctions = ["newToken", "now"] as const;
const listeners = ["passed", "observe"] as const;

type Members = Readonly<Record<string, unknown>>;

/**
 * The functions of a server that were replaced, with a check that they return no promise. A listener may return one,
 * which may reject.
 *
 * @param before The server without the replacements.
 * @param owner Whose replacements they are, such as `the extension policy`.
 */
export function immediateFunctions<S extends object>(before: S, after: S, owner: string): Partial<S> {
  const [old, replaced] = [before as Members, after as Members];
  const checked: Record<string, unknown> = checkedFunctions(old, replaced, ownFunctions, owner);
  for (const name of listeners) {
    const listen = replaced[name];
    if (typeof listen !== "function" || listen === old[name]) continue;
    checked[name] = (...values: unknown[]) => ignoreRejection(listen.call(after, ...values));
  }
  for (const [member, names] of Object.entries(functions)) {
    const own = replaced[member] as Members | undefined;
    if (own === undefined || own === old[member]) continue;
    const changed = checkedFunctions((old[member] ?? {}) as Members, own, names, owner);
    if (Object.keys(changed).length > 0) checked[member] = Object.assign(Object.create(own), own, changed);
  }
  return checked as Partial<S>;
}

function checkedFunctions(
  before: Members,
  after: Members,
  names: readonly string[],
  owner: string,
): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => {
    const call = after[name];
    if (typeof call !== "function" || call === before[name]) return [];
    return [[name, (...values: unknown[]) => immediate(`${name} of ${owner}`, call.call(after, ...values))]];
  }));
}
