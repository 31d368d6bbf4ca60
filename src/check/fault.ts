/** The attacks that change a response, as faults for tests. */

import type { FaultDefinition } from "../testing/faults/definition.ts";
import type { Fault } from "../testing/faults/fault.ts";
import { createFault, faultDefinitions } from "../testing/faults/mod.ts";
import { formerNames } from "./attacks/former_names.ts";
import { attacks } from "./attacks/mod.ts";

/** Each attack that changes a response, as a row like those of `faults`. */
const attackFaults: readonly FaultDefinition[] = attacks.flatMap(
  ({ id, title, correctClient, endpoints, parameters, on, create }) =>
    create === undefined ? [] : [{
      ...{ id, title, correctClient, endpoints: on ? [on] : endpoints, parameters, create },
      also: formerNames[id],
    }],
);

/** Every way in which the server can misbehave, once each: the faults, then the attacks that change a response. */
export const allFaults: readonly FaultDefinition[] = [...faultDefinitions, ...attackFaults];

/**
 * Creates a fault by its id: of an attack that changes a response (`id-token/exp-past`), or of a function in `faults`
 * (`delay`). `latchkey explain faults ID` prints its parameters.
 *
 * @param parameters What the attack can vary. Default: its first variant.
 * @throws {TypeError} If nothing has the id, a parameter is unknown or its value has another type.
 *
 * @example
 * ```ts ignore
 * import { fault } from "@latchkey/latchkey/check";
 *
 * as.on("token").once(fault("id-token/exp-past"));
 * as.on("token").once(fault("id-token/exp-past", { value: "a year ago" }));
 * ```
 */
export function fault(id: string, parameters: Readonly<Record<string, unknown>> = {}): Fault {
  return createFault(id, parameters, allFaults);
}
