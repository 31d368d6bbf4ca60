/** Reads the environment: every variable whose name begins with LATCHKEY_, and no other. */

import type { Fault } from "../oauth/fault.ts";
import { type OperatorName, operatorNames, operatorRules, type Sayings } from "./operator.ts";
import { showName, showValue } from "./show.ts";
import { suggest } from "./suggest.ts";

const prefix = "LATCHKEY_";

/** Variables by name, as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The name of the variable that says the same as a flag. */
export function variableName(name: OperatorName): string {
  return prefix + name.toUpperCase();
}

/** Reads the variables; an empty one counts as absent. */
export async function readEnvironment(env: Environment): Promise<{ said: Sayings; faults: readonly Fault[] }> {
  const said: Sayings = {};
  const faults: Fault[] = [];
  for (const [place, value] of Object.entries(env)) {
    if (!place.startsWith(prefix) || !value) continue;
    const name = operatorNames.find((known) => variableName(known) === place);
    if (name === undefined) {
      faults.push(await unknownFault(place));
      continue;
    }
    const sound = operatorRules[name].accepts(value);
    said[name] = sound ? { place, value } : { place };
    if (!sound) faults.push(valueFault(name, value));
  }
  return { said, faults };
}

function valueFault(name: OperatorName, value: string): Fault {
  const { expected, example } = operatorRules[name];
  const place = variableName(name);
  const mend = value.startsWith("tcp://") ? unlinkService : `Write it like ${place}=${example}, or unset it.`;
  return { place, expected, found: showValue(value, [place]), mend };
}

async function unknownFault(place: string): Promise<Fault> {
  const known = operatorNames.map(variableName);
  const meant = serviceLink.test(place) ? undefined : await suggest(place.slice(prefix.length), operatorNames);
  return {
    place: showName(place),
    expected: "a known variable",
    found: "an unknown one",
    mend: serviceLink.test(place)
      ? unlinkService
      : meant
      ? `Did you mean ${variableName(meant as OperatorName)}?`
      : `Unset it, or use one of ${known.join(", ")}.`,
  };
}

// Kubernetes gives every pod such variables for each service, and one service may well be called latchkey.
const serviceLink = /^LATCHKEY_(SERVICE_(HOST|PORT)(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)$/;
const unlinkService =
  "Kubernetes sets it for a service called latchkey: put enableServiceLinks: false in the pod, or rename the service.";
