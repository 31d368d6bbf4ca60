/** Reads the environment: every variable whose name begins with LATCHKEY_, and no other. */

import type { ConfigurationWarning, Fault } from "../oauth/config/config_issue.ts";
import { type OperatorName, operatorNames, operatorRules, type Sayings } from "./option_definitions.ts";
import { showName, showValue } from "./show.ts";
import { suggest } from "./suggest.ts";
import { type ReadTextFile, readValue } from "./text_file.ts";

const prefix = "LATCHKEY_";
/** At the end of a name: not the value, but the path of the file that holds it. */
export const inFile = "_FILE";

/** Variables by name, as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The name of the variable that says the same as a flag. */
export function variableName(name: OperatorName): string {
  return prefix + name.toUpperCase().replaceAll("-", "_");
}

/** The configuration read from environment variables. */
export interface EnvironmentReading {
  readonly said: Sayings;
  readonly faults: readonly Fault[];
  /** Warnings about ignored variables. They do not stop the start, because other programs may have set them. */
  readonly warnings: readonly ConfigurationWarning[];
}

/** Reads the variables, and the files that those name whose own name ends in _FILE; an empty one counts as absent. */
export async function readEnvironment(env: Environment, readTextFile: ReadTextFile): Promise<EnvironmentReading> {
  const said: Sayings = {};
  const faults: Fault[] = [];
  const warnings: ConfigurationWarning[] = [];
  const links: string[] = [];
  const isSet = (place: string) => Boolean(env[place]) && !isServiceLink(place, env[place]!);
  for (const [place, value] of Object.entries(env)) {
    if (!place.startsWith(prefix) || !value) continue;
    if (!isSet(place)) {
      links.push(place);
      continue;
    }
    const plain = operatorNames.find((known) => variableName(known) === place);
    const filed = operatorNames.find((known) => variableName(known) + inFile === place);
    const name = plain ?? filed;
    if (name === undefined) {
      warnings.push(await unknownWarning(place));
      continue;
    }
    if (plain === undefined && isSet(variableName(name))) {
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
  if (links.length > 0) warnings.push(linkWarning(links));
  return { said, faults, warnings };
}

function valueFault(name: OperatorName, place: string, value: string): Fault {
  const { expected, example, hint } = operatorRules[name];
  if (place.endsWith(inFile)) return { place, expected, ...hiddenContent(name, value) };
  const mend = hint?.(value) ?? `Write it like ${place}=${example}, or unset it.`;
  return { place, expected, found: showValue(value, [place]), mend };
}

/** Describes a value read from a file without showing it: the path may name the wrong file. */
export function hiddenContent(name: OperatorName, value: string): Pick<Fault, "found" | "mend"> {
  const { example, hint } = operatorRules[name];
  const mend = hint?.(value) ?? `Let the file hold ${example} or the like, or unset the variable.`;
  return { found: `${value.length} characters (hidden)`, mend };
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

async function unknownWarning(place: string): Promise<ConfigurationWarning> {
  const isFiled = place.endsWith(inFile);
  const meant = await suggest(place.slice(prefix.length, isFiled ? -inFile.length : undefined), operatorNames);
  const known = meant === undefined ? operatorNames : [meant as OperatorName];
  const names = known.map((name) => variableName(name) + (isFiled && !operatorRules[name].isPath ? inFile : ""));
  return {
    path: showName(place),
    message: meant === undefined
      ? `Ignored: this variable is unknown. Unset it, or use one of ${names.join(", ")}.`
      : `Ignored: this variable is unknown. Did you mean ${names[0]}?`,
  };
}

const serviceLink = /^LATCHKEY_(\w+_)?(SERVICE_(HOST|PORT)(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)$/;

/** Kubernetes sets such variables in every pod, named after each service; a service may be named latchkey. */
function isServiceLink(place: string, value: string): boolean {
  return serviceLink.test(place) || place.endsWith("PORT") && /^(tcp|udp|sctp):\/\//.test(value);
}

function linkWarning(places: readonly string[]): ConfigurationWarning {
  return {
    path: places.map(showName).sort().join(", "),
    message: "Ignored: Kubernetes sets this for each service. To stop it, put enableServiceLinks: false in the pod.",
  };
}
