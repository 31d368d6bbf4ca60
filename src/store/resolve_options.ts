/** Fills in the defaults of a store's options. */

/**
 * Returns the options, with defaults for absent ones.
 *
 * @param call The function with the options: `memoryStore`.
 * @throws {TypeError} If an option is unknown: a misspelt limit would have no effect.
 */
export function resolveOptions<T extends object>(call: string, defaults: Required<T>, options: T): Required<T> {
  const resolved = { ...defaults };
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(defaults, name)) {
      const known = Object.keys(defaults).join(", ");
      throw new TypeError(
        `${call}: expected the options ${known}; received ${JSON.stringify(name)}. Correct its name.`,
      );
    }
    if (value !== undefined) resolved[name as keyof T] = value;
  }
  return resolved;
}
