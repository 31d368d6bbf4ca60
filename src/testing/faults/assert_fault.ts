/** Refuses what is no fault, above all the function that makes one. */

import type { Fault } from "./fault.ts";
import * as faults from "./mod.ts";

/**
 * Refuses what is no fault, as it can come from JavaScript.
 *
 * @param verb What it was given to: `once`.
 * @throws {TypeError}
 */
export function requireFault(verb: string, found: unknown): asserts found is Fault {
  if (typeof found === "object" && found !== null && "name" in found && typeof found.name === "string") return;
  throw new TypeError(`${verb}: expected a fault, such as faults.drop(), found ${describe(found)}`);
}

function describe(found: unknown): string {
  if (typeof found === "function") {
    const name = nameOf(found, "faults", faults) ?? found.name;
    if (name === "") return "a function: call it";
    return `the function ${name}: call it, ${name}(${found.length === 0 ? "" : "…"})`;
  }
  if (typeof found === "object" && found !== null) return "an object without a name: give it one";
  return typeof found === "string" ? JSON.stringify(found) : String(found);
}

/** Where a function is among the faults, as a test writes it: `faults.idToken.expired`. */
function nameOf(wanted: unknown, path: string, among: object): string | undefined {
  for (const [key, value] of Object.entries(among)) {
    const name = `${path}.${key}`;
    if (value === wanted) return name;
    const deeper = typeof value === "object" ? nameOf(wanted, name, value) : undefined;
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}
