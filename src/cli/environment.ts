/** Reads the environment: every variable whose name begins with LATCHKEY_, and no other. */

import type { ConfigIssue, ConfigurationWarning } from "../oauth/config/config_issue.ts";
import { optionDefinitions, type OptionName, optionNames, type RawOptions } from "./options.ts";
import { showName, showValue } from "./show.ts";
import { suggest } from "./suggest.ts";
import { type ReadTextFile, readValue } from "./text_file.ts";

const variablePrefix = "LATCHKEY_";
/** At the end of a name: not the value, but the path of the file that holds it. */
export const fileSuffix = "_FILE";

/** Variables by name, as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The name of the variable that says the same as a flag. */
export function variableName(name: OptionName): string {
  return variablePrefix + name.toUpperCase().replaceAll("-", "_");
}

/** The configuration read from environment variables. */
export interface EnvironmentResult {
  readonly options: RawOptions;
  readonly issues: readonly ConfigIssue[];
  /** Warnings about ignored variables. They do not stop the start, because other programs may have set them. */
  readonly warnings: readonly ConfigurationWarning[];
}

/** Reads the variables, and the files that those name whose own name ends in _FILE; an empty one counts as absent. */
export async function readEnvironment(env: Environment, readTextFile: ReadTextFile): Promise<EnvironmentResult> {
  const options: RawOptions = {};
  const issues: ConfigIssue[] = [];
  const warnings: ConfigurationWarning[] = [];
  const serviceLinks: string[] = [];
  const isSet = (variable: string) => Boolean(env[variable]) && !isServiceLink(variable, env[variable]!);
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith(variablePrefix) || !value) continue;
    if (!isSet(variable)) {
      serviceLinks.push(variable);
      continue;
    }
    const directName = optionNames.find((known) => variableName(known) === variable);
    const fileName = optionNames.find((known) => variableName(known) + fileSuffix === variable);
    const name = directName ?? fileName;
    if (name === undefined) {
      warnings.push(await unknownVariableWarning(variable));
      continue;
    }
    if (directName === undefined && isSet(variableName(name))) {
      issues.push(duplicateIssue(name, variable));
      continue;
    }
    if (directName === undefined && optionDefinitions[name].isPath) {
      issues.push(pathInFileIssue(name, variable));
      options[name] = { source: variable };
      continue;
    }
    const text = directName === undefined ? await readValue(value, variable, readTextFile) : value;
    const isValid = typeof text === "string" && optionDefinitions[name].accepts(text);
    options[name] = isValid ? { source: variable, value: text } : { source: variable };
    if (!isValid) issues.push(typeof text === "string" ? invalidValueIssue(name, variable, text) : text);
  }
  if (serviceLinks.length > 0) warnings.push(serviceLinkWarning(serviceLinks));
  return { options, issues, warnings };
}

function invalidValueIssue(name: OptionName, variable: string, value: string): ConfigIssue {
  const { expected, example, hintFor } = optionDefinitions[name];
  if (variable.endsWith(fileSuffix)) return { path: variable, expected, ...hiddenValue(name, value) };
  const hint = hintFor?.(value) ?? `Write it like ${variable}=${example}, or unset it.`;
  return { path: variable, expected, received: showValue(value, [variable]), hint };
}

/** Describes a value read from a file without showing it: the path may name the wrong file. */
export function hiddenValue(name: OptionName, value: string): Pick<ConfigIssue, "received" | "hint"> {
  const { example, hintFor } = optionDefinitions[name];
  const hint = hintFor?.(value) ?? `Let the file hold ${example} or the like, or unset the variable.`;
  return { received: `${value.length} characters (hidden)`, hint };
}

function duplicateIssue(name: OptionName, variable: string): ConfigIssue {
  const other = variableName(name);
  return { path: variable, expected: "one of the two", received: `${other} as well`, hint: "Unset one of them." };
}

function pathInFileIssue(name: OptionName, variable: string): ConfigIssue {
  return {
    path: variable,
    expected: `${variableName(name)}, which is the path of a file already`,
    received: "the path of a file that would hold the path",
    hint: `Call it ${variableName(name)}.`,
  };
}

async function unknownVariableWarning(variable: string): Promise<ConfigurationWarning> {
  const isFileVariable = variable.endsWith(fileSuffix);
  const suggestion = await suggest(
    variable.slice(variablePrefix.length, isFileVariable ? -fileSuffix.length : undefined),
    optionNames,
  );
  const candidates = suggestion === undefined ? optionNames : [suggestion as OptionName];
  const names = candidates.map((name) =>
    variableName(name) + (isFileVariable && !optionDefinitions[name].isPath ? fileSuffix : "")
  );
  return {
    path: showName(variable),
    message: suggestion === undefined
      ? `Ignored: this variable is unknown. Unset it, or use one of ${names.join(", ")}.`
      : `Ignored: this variable is unknown. Did you mean ${names[0]}?`,
  };
}

const serviceLinkPattern = /^LATCHKEY_(\w+_)?(SERVICE_(HOST|PORT)(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)$/;

/** Kubernetes sets such variables in every pod, named after each service; a service may be named latchkey. */
function isServiceLink(variable: string, value: string): boolean {
  return serviceLinkPattern.test(variable) || variable.endsWith("PORT") && /^(tcp|udp|sctp):\/\//.test(value);
}

function serviceLinkWarning(variables: readonly string[]): ConfigurationWarning {
  return {
    path: variables.map(showName).sort().join(", "),
    message: "Ignored: Kubernetes sets this for each service. To stop it, put enableServiceLinks: false in the pod.",
  };
}
