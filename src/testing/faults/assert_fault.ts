/** Refuses what is no fault, above all the function that makes one. */

import type { Fault } from "./fault.ts";
import * as faults from "./mod.ts";

/**
 * Refuses what is no fault, as it can come from JavaScript.
 *
 * @param verb What it was given to: `once`.
 * @throws {TypeError}
 */
export function assertFault(verb: string, value: unknown): asserts value is Fault {
  if (typeof value === "object" && value !== null && "name" in value && typeof value.name === "string") return;
  throw new TypeError(`${verb}: expected a fault, such as faults.drop(), found ${describeValue(value)}`);
}

function describeValue(value: unknown): string {
  if (typeof value === "function") {
    const name = findFaultName(value, "faults", faults) ?? value.name;
    if (name === "") return "a function: call it";
    return `the function ${name}: call it, ${name}(${value.length === 0 ? "" : "…"})`;
  }
  if (typeof value === "object" && value !== null) return "an object without a name: give it one";
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

/** Where a function is among the faults, as a test writes it: `faults.idToken.expired`. */
function findFaultName(target: unknown, path: string, namespace: object): string | undefined {
  for (const [key, value] of Object.entries(namespace)) {
    const name = `${path}.${key}`;
    if (value === target) return name;
    const nested = typeof value === "object" ? findFaultName(target, name, value) : undefined;
    if (nested !== undefined) return nested;
  }
  return undefined;
}
