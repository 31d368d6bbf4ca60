/** The error that says everything that is wrong with the settings, at once and for a person. */

import type { Fault } from "./fault.ts";

/** Settings that cannot be used. `message` tells every fault, a paragraph each, as a terminal can show it. */
export class ConfigurationError extends Error {
  /** Everything that is wrong, in the order in which it was found; never empty. */
  readonly faults: readonly Fault[];

  /** Says these faults. */
  constructor(faults: readonly Fault[]) {
    const count = faults.length === 1 ? "1 fault" : `${faults.length} faults`;
    super([`The configuration has ${count}.`, ...faults.map(tellFault)].join("\n\n"));
    this.name = "ConfigurationError";
    this.faults = faults;
  }
}

/** One fault as a paragraph: the place, then what was expected and found, then how to mend it. No final newline. */
function tellFault(fault: Fault): string {
  return `${fault.place}\n  Expected ${fault.expected}, found ${fault.found}.\n  ${fault.mend}`;
}
