/** Rejects values that are not faults, such as a function that creates one. */

import type { FaultFactory } from "./definition.ts";
import type { Fault } from "./fault.ts";

/**
 * Rejects a value from JavaScript that is not a fault.
 *
 * @param verb The function that received it: `once`.
 * @throws {TypeError}
 */
export function assertFault(verb: string, value: unknown): asserts value is Fault {
  if (typeof value === "object" && value !== null && "name" in value && typeof value.name === "string") return;
  throw new TypeError(`${verb}: expected a fault, such as faults.drop(), received ${describeValue(value)}`);
}

function describeValue(value: unknown): string {
  if (typeof value === "function") {
    const { definition } = value as Partial<FaultFactory<() => Fault>>;
    const name = definition === undefined ? value.name : `faults.${definition.id}`;
    return name === "" ? "a function: call it" : `the function ${name}: call it, ${name}()`;
  }
  if (typeof value === "object" && value !== null) return "an object without a name: add the member name";
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
