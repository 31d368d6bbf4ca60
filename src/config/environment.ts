/** Reads the environment: every variable whose name begins with LATCHKEY_, and no other. */

import type { Fault } from "../oauth/fault.ts";
import { type OperatorName, operatorNames, operatorRules, type Sayings } from "./operator.ts";
import { showName, showValue } from "./show.ts";
import { suggest } from "./suggest.ts";
import { type ReadTextFile, readValue } from "./text_file.ts";

const prefix = "LATCHKEY_";
/** At the end of a name: not the value, but the path of the file that holds it. */
const inFile = "_FILE";

/** Variables by name, as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The name of the variable that says the same as a flag. */
export function variableName(name: OperatorName): string {
  return prefix + name.toUpperCase().replaceAll("-", "_");
}

/** Reads the variables, and the files that those name whose own name ends in _FILE; an empty one counts as absent. */
export async function readEnvironment(
  env: Environment,
  readTextFile: ReadTextFile,
): Promise<{ said: Sayings; faults: readonly Fault[] }> {
  const said: Sayings = {};
  const faults: Fault[] = [];
  for (const [place, value] of Object.entries(env)) {
    if (!place.startsWith(prefix) || !value) continue;
    const plain = operatorNames.find((known) => variableName(known) === place);
    const filed = operatorNames.find((known) => variableName(known) + inFile === place);
    const name = plain ?? filed;
    if (name === undefined) {
      faults.push(await unknownFault(place));
      continue;
    }
    if (plain === undefined && env[variableName(name)]) {
      faults.push(twiceFault(name, place));
      continue;
    }
    if (plain === undefined && operatorRules[name].isPath) {
      faults.push(pathFault(name, place));
      said[name] = { place };
      continue;
    }
    const text = plain === undefined ? await readValue(value, place, readTextFile) : value;
    const sound = typeof text === "string" && operatorRules[name].accepts(text);
    said[name] = sound ? { place, value: text } : { place };
    if (!sound) faults.push(typeof text === "string" ? valueFault(name, place, text) : text);
  }
  return { said, faults };
}

function valueFault(name: OperatorName, place: string, value: string): Fault {
  const { expected, example } = operatorRules[name];
  const mend = value.startsWith("tcp://")
    ? unlinkService
    : place.endsWith(inFile)
    ? `Let the file hold ${example} or the like, or unset the variable.`
    : `Write it like ${place}=${example}, or unset it.`;
  return { place, expected, found: showValue(value, [place]), mend };
}

function twiceFault(name: OperatorName, place: string): Fault {
  const other = variableName(name);
  return { place, expected: "one of the two", found: `${other} as well`, mend: "Unset one of them." };
}

function pathFault(name: OperatorName, place: string): Fault {
  return {
    place,
    expected: `${variableName(name)}, which is the path of a file already`,
    found: "the path of a file that would hold the path",
    mend: `Call it ${variableName(name)}.`,
  };
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
