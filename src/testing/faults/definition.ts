/** A fault as a row of the catalogue: an id, parameters that JSON can carry, and the function that makes the fault. */

import type { Fault } from "./fault.ts";
import { type FaultParameter, optionsToValues, type ParameterValues, validateParameters } from "./parameters.ts";

/** A row of the catalogue. `JSON.stringify` leaves the functions out, so that a list of rows can be sent as it is. */
export interface FaultDefinition {
  /** What follows `faults.` in a program: `delay`, `idToken.edited`; or that of an attack: `id-token/exp-past`. */
  readonly id: string;
  /** What goes wrong, a few words. */
  readonly title: string;
  /** What a correct client does when it meets the fault, one sentence. */
  readonly correctClient: string;
  /** Former ids that lead to it. Default: none. */
  readonly also?: readonly string[];
  /** The endpoints where it has an effect. */
  readonly endpoints: readonly string[];
  /** The parameters, in the order of the arguments; each has a default or can be left out. */
  readonly parameters: readonly FaultParameter[];
  /**
   * Creates the fault.
   *
   * @param values By the names of the parameters; absent ones have their defaults.
   * @throws {TypeError} If a name is unknown or a value has another type.
   * @throws {RangeError} If a value is out of range.
   */
  create(values?: Readonly<Record<string, unknown>>): Fault;
}

/** A function that creates faults of one definition. It takes arguments instead of an object of values. */
export type FaultFactory<Create extends (...args: never[]) => Fault> = Create & {
  /** The definition that the function calls. */
  readonly definition: FaultDefinition;
};

/** The source of a definition: its members, and a function that creates the fault from complete and valid values. */
type FaultSource<Parameters extends readonly FaultParameter[]> =
  & Pick<FaultDefinition, "id" | "title" | "correctClient">
  & {
    /** Default: `any`. */
    readonly endpoints?: readonly string[];
    /** Default: none. */
    readonly parameters?: Parameters;
    create(values: ParameterValues<Parameters>): Fault;
  };

/** Defines a fault and returns the function for programs, such as `faults.delay(200)`. */
export function defineFault<
  Create extends (...args: never[]) => Fault,
  const Parameters extends readonly FaultParameter[] = [],
>(source: FaultSource<Parameters>): FaultFactory<Create> {
  const { id, endpoints = ["any"], parameters = [] } = source;
  const definition: FaultDefinition = {
    ...source,
    endpoints,
    parameters,
    create(values = {}) {
      const complete = validateParameters(`faults.${id}`, parameters, values);
      return {
        ...source.create(complete as ParameterValues<Parameters>),
        id,
        parameters: complete,
        endpoints: endpoints.every((endpoint) => endpoint !== "any") ? endpoints : undefined,
      };
    },
  };
  const factory = (...args: readonly unknown[]) => definition.create(optionsToValues(`faults.${id}`, parameters, args));
  return Object.assign(factory, { definition }) as unknown as FaultFactory<Create>;
}
