/** Reads the environment: the variables whose names begin with LATCHKEY_, and no others. */

import type { Field } from "../core/policy/field.ts";
import { normalizeName, suggest } from "../core/policy/suggest.ts";
import { showName } from "../server/config/config_issue.ts";
import type { ConfigIssue, ConfigurationWarning } from "../core/rules/configuration_error.ts";
import {
  exampleText,
  flagName,
  isPath,
  type OptionFields,
  optionOfWord,
  type RawOptions,
  readOption,
} from "./options.ts";
import { type OptionName, optionNames } from "./settings.ts";
import { plainValue, type ReadTextFile, readValue } from "./text_file.ts";

const variablePrefix = "LATCHKEY_";
/** The end of the name of a variable whose value is the path of a file with the value. */
export const fileSuffix = "_FILE";

/** The variable with the content of a configuration file, for containers without a file of their own. */
export const configTextVariable = "LATCHKEY_CONFIG_JSON";

/** The configuration file that is read, if it is in the working directory and nothing else is named. */
export const configFileName = "latchkey.json";
/** The value of `--config` for a start without a configuration file. */
export const noConfig = "none";

/** Variables by name, as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

export function variableName(name: OptionName): string {
  return variablePrefix + flagName(name).toUpperCase().replaceAll("-", "_");
}

/**
 * Reads the variables ({@link configTextVariable} unparsed), and the files that variables with {@link fileSuffix} name.
 * An empty variable counts as absent. Ignored variables cause warnings, which do not stop the start, because other
 * programs may have set them.
 */
export async function readEnvironment(env: Environment, fields: OptionFields, readTextFile: ReadTextFile) {
  const options: RawOptions = {};
  const issues: ConfigIssue[] = [];
  const warnings: ConfigurationWarning[] = [];
  const serviceLinks: string[] = [];
  const unknown: string[] = [];
  const configText = plainValue(env[configTextVariable] ?? "") || undefined;
  if (configText !== undefined && env[variableName("config")]) {
    issues.push(duplicateIssue("config", configTextVariable));
  }
  const isSet = (variable: string) => Boolean(env[variable]) && !isServiceLink(variable, env[variable]!);
  for (const [variable, given = ""] of Object.entries(env)) {
    if (!variable.startsWith(variablePrefix) || variable === configTextVariable) continue;
    const value = plainValue(given);
    if (value === "") continue;
    if (!isSet(variable)) {
      serviceLinks.push(variable);
      continue;
    }
    const directName = optionNames.find((known) => variableName(known) === variable);
    const fileName = optionNames.find((known) => variableName(known) + fileSuffix === variable);
    const name = directName ?? fileName;
    if (name === undefined) {
      unknown.push(variable);
      continue;
    }
    if (directName === undefined && isSet(variableName(name))) {
      issues.push(duplicateIssue(name, variable));
      continue;
    }
    if (directName === undefined && isPath(name)) {
      issues.push(pathInFileIssue(name, variable));
      options[name] = { source: variable };
      continue;
    }
    const text = directName === undefined ? await readValue(value, variable, readTextFile) : value;
    if (typeof text !== "string") {
      options[name] = { source: variable };
      issues.push(text);
      continue;
    }
    const hint = `Write it like ${variable}=${exampleText(fields[name], text)}, or unset it.`;
    const { option, issue } = readOption(fields[name], variable, text, hint);
    options[name] = option;
    if (issue) issues.push(directName === undefined ? { ...issue, ...hiddenValue(fields[name], text) } : issue);
  }
  warnings.push(...unknownVariableWarnings(unknown, Object.keys(fields)));
  if (serviceLinks.length > 0) warnings.push(serviceLinkWarning(serviceLinks));
  for (const [variable, message] of Object.entries(foreignVariables)) {
    if (env[variable]) warnings.push({ path: variable, message });
  }
  return { options, configText, issues, warnings };
}

/** Describes a value from a file without showing it, because the path may name the wrong file. */
export function hiddenValue(field: Field, value: string): Pick<ConfigIssue, "received" | "hint"> {
  const hint = field.hint?.(value) ?? `Write ${exampleText(field)} or the like into the file, or unset the variable.`;
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
    received: "the path of a file that contains the path",
    hint: `Call it ${variableName(name)}.`,
  };
}

/** A warning for each variable whose name resembles a known one, and one with all known names for the others. */
function unknownVariableWarnings(variables: readonly string[], settings: readonly string[]): ConfigurationWarning[] {
  const nearest = variables.map((variable) => ({ variable, known: nearestVariable(variable, settings) }));
  const others = nearest.filter(({ known }) => known === undefined).map(({ variable }) => showName(variable));
  return [
    ...nearest.flatMap(({ variable, known }) =>
      known === undefined
        ? []
        : [{ path: showName(variable), message: `Ignored: this variable is unknown. Did you mean ${known}?` }]
    ),
    ...others.length === 0 ? [] : [{
      path: others.join(", "),
      message: `Ignored: ${others.length === 1 ? "this variable is" : "these variables are"} unknown. Unset ` +
        `${others.length === 1 ? "it" : "them"}: latchkey --help lists all variables.`,
    }],
  ];
}

/** The variable, or the setting without one, that an unknown variable probably stands for. */
function nearestVariable(variable: string, settings: readonly string[]): string | undefined {
  const isFileVariable = variable.endsWith(fileSuffix);
  const word = variable.slice(variablePrefix.length, isFileVariable ? -fileSuffix.length : undefined);
  const setting = settings.find((known) =>
    normalizeName(known) === normalizeName(word) && !optionNames.some((name) => name === known)
  );
  if (setting !== undefined) return `${setting} in the configuration file`;
  const name = optionOfWord(word)?.name ?? suggest(word, optionNames) as OptionName | undefined;
  return name && variableName(name) + (isFileVariable && !isPath(name) ? fileSuffix : "");
}

const serverMock = "Ignored: a variable of oidc-server-mock. static/docs/dex-and-oidc-server-mock.md has the settings.";

/** Variables of other servers, which a moved suite still sets. */
const foreignVariables: Readonly<Record<string, string>> = {
  JSON_CONFIG: `Ignored: a variable of mock-oauth2-server. ${configTextVariable} reads its value.`,
  JSON_CONFIG_PATH: `Ignored: a variable of mock-oauth2-server. ${variableName("config")} reads its file.`,
  ...Object.fromEntries(
    ["CLIENTS", "USERS", "SERVER_OPTIONS", "API_SCOPES", "API_RESOURCES", "IDENTITY_RESOURCES"].flatMap((name) =>
      ["INLINE", "PATH", "CONFIGURATION_INLINE", "CONFIGURATION_PATH"].map((end) => [`${name}_${end}`, serverMock])
    ),
  ),
};

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
