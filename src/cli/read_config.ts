/**
 * The command line of the program: how flags, variables and a file become its configuration. The settings themselves
 * are described and compared in `server/config/`; `start_server.ts` starts the server.
 *
 * `readConfiguration` reads the flags (`flags.ts`), the variables (`environment.ts`) and the file (`config_file.ts`).
 * Each value is validated by its field (`settings.ts`). A flag overrides the environment, which overrides
 * the file, which overrides the default. The result is checked for conflicts between settings. A `ConfigurationError`
 * lists all issues of all sources; without issues, `banner.ts` shows the result.
 *
 * @module
 */

import type { PrivateJwk } from "../client/private_jwk.ts";
import type { ReadFile } from "./changed_file.ts";
import { type ConfigIssue, ConfigurationError, type ConfigurationWarning } from "../core/rules/configuration_error.ts";
import { printable } from "../core/http/quote_value.ts";
import { listNames } from "../core/policy/suggest.ts";
import type { SigningAlgorithm } from "../core/keys/signing_algorithm.ts";
import { leadsToLoopback } from "../core/http/test_hosts.ts";
import { fromHost } from "../server/config/server_names.ts";
import { type Field, withDefaults } from "../core/policy/field.ts";
import { providerProfileField } from "../server/config/provider_profile_field.ts";
import { extendedFields, resolveOptions } from "../server/hosting/extensions.ts";
import { extensionFields, type ExtensionSettings } from "../server/extensions/settings.ts";
import type { ResolvedSettings } from "../server/config/resolve_settings.ts";
import type { ListenOptions } from "../server/hosting/listen.ts";
import { settingFields, type Settings } from "../server/config/settings.ts";
import {
  type ConfigFileResult,
  noConfigFile,
  parseConfigText,
  readConfigFile,
  unreadableConfigFile,
} from "./config_file.ts";
import {
  configFileName,
  configTextVariable,
  type Environment,
  fileSuffix,
  hiddenValue,
  noConfig,
  readEnvironment,
} from "./environment.ts";
import type { IssuersByPathConfig, RequestMapping } from "./mock_oauth2_config.ts";
import { readFlags } from "./flags.ts";
import { foundFileIssue } from "./found_file.ts";
import { type OptionFields, optionFields, type RawOptions } from "./options.ts";
import {
  type ConfigFile,
  configFileField,
  type OptionName,
  optionNames,
  programFields,
  type ProgramValues,
} from "./settings.ts";
import { loadFiles } from "./named_files.ts";
import type { ChosenScenario } from "../testing/scenarios/choose.ts";
import { type Scenario, scenarioField } from "../testing/scenarios/scenario.ts";
import { parseStore, type StoreChoice, type StoreKinds, storeKinds } from "./stores.ts";
import { isAbsentFile, readNamedFile, type ReadTextFile } from "./text_file.ts";
import { helpText } from "./help.ts";

interface ConfigurationSources {
  /** The command line, without the program. */
  readonly args: readonly string[];
  readonly env: Environment;
  /** Called with the path of every named file: configuration, secrets, certificate. */
  readonly readTextFile: ReadTextFile;
  /** The stores that `store` can name. Default: {@link storeKinds}. */
  readonly stores?: StoreKinds;
  /** Resolves settings that match their description. Default: {@link resolveOptions}. */
  readonly resolve?: typeof resolveOptions;
}

/** The certificate and its private key as PEM, or what generates them. */
type TlsChoice = NonNullable<ListenOptions["tls"]>;

export type Configuration =
  | Omit<ProgramValues, "$schema" | "store" | "scenario" | "signingKey" | "tls"> & {
    readonly kind: "run";
    /** The settings of the server; `issuer` is absent if no source names it. */
    readonly settings: Settings;
    /** What these settings mean. The issuer has the default port if they name none. */
    readonly resolved: ResolvedSettings;
    readonly store: StoreChoice;
    /** What happens to the server. Default: nothing. */
    readonly scenarios?: readonly ChosenScenario[];
    /** Whether a flag, a variable or the file chose that format. */
    readonly isLogChosen: boolean;
    /** Certificate and private key. Default: plain http. */
    readonly tls?: TlsChoice;
    /** The configuration file. Absent: none was named. */
    readonly file?: ReadFile;
    /** Claims by parameters of token requests. Default: none. */
    readonly requestMappings?: readonly RequestMapping[];
    /** The issuers at paths below the issuer, each with claims of its own. Default: none. */
    readonly issuersByPath?: IssuersByPathConfig;
    /** The key that each issuer signs with first. Default: generated. */
    readonly signingKey?: PrivateJwk;
    /** The source of the settings that no flag and no variable sets. Default: none. */
    readonly configSource?: ConfigSource;
    /** Warnings about the options of the program; the server traces those about `settings`. */
    readonly warnings: readonly ConfigurationWarning[];
  }
  /** Show `text`, which ends with a newline, and exit. */
  | { readonly kind: "help"; readonly text: string }
  /** Show the version and exit. */
  | { readonly kind: "version" }
  /** Show the licences of the parts and exit. */
  | { readonly kind: "licenses" }
  /** Show the JSON Schema of the configuration file and exit. */
  | { readonly kind: "schema" };

/** A configuration file, or the variable with its content. */
export interface ConfigSource {
  /** The path, or {@link configTextVariable}. */
  readonly name: string;
  /** Whether it is read because it is in the working directory: nothing names it. */
  readonly isFound: boolean;
  /** Whether it has placeholders that were not replaced for that reason. Default: false. */
  readonly keepsPlaceholders?: boolean;
}

/** How a start goes without a file that nothing names; `undefined` for other sources. */
export function describeFoundFile(
  { name, isFound, keepsPlaceholders }: Partial<ConfigSource> = {},
): string | undefined {
  if (!isFound) return undefined;
  const kept = keepsPlaceholders ? `, without variables for its placeholders; --config ${name} replaces them` : "";
  return `${name} is in this folder, so it is read${kept}; --config ${noConfig} starts without it`;
}

/**
 * Reads flags, environment and file. Loads no package unless the JSON of the file is broken.
 *
 * @throws {ConfigurationError} With all issues of all three sources.
 */
export async function readConfiguration(sources: ConfigurationSources): Promise<Configuration> {
  const { args, readTextFile, stores = storeKinds, resolve = resolveOptions } = sources;
  const fileField = configFileField(stores);
  const fields = optionFields(fileField.members);
  const flags = readFlags(args, fields);
  if (flags.kind === "help") return { kind: "help", text: helpText };
  if (flags.kind !== "run") return flags;

  const read = await readValues(flags.options, fields, fileField, sources);
  const { values, options, path, file, configSource, fileName, scenarios } = read;
  const settings: Settings & ExtensionSettings = Object.fromEntries(
    Object.entries(values).filter(([name]) =>
      Object.hasOwn(settingFields, name) || Object.hasOwn(extensionFields, name)
    ),
  );
  const program = withDefaults<object>(programFields, values) as ProgramValues;
  const tls = await readTls(options, program, fileName, readTextFile);
  const resolved = await resolve(settings, `${tls.wanted ? "https" : "http"}://localhost:${program.port}`);
  const { issuer } = resolved;
  const first = await readFirstKey(program, read, resolved.policy.alg, readTextFile);
  const issues = [
    ...flags.issues,
    ...read.issues,
    ...scenarios && values.control !== true
      ? [withoutControl(findSource("scenario", options, fileName), resolved.policy.allows.openTools)]
      : [],
    ...semanticErrors(resolved.issues, settings, file.invalidPaths).map((issue) => locateIssue(issue, fields, read)),
    ...tls.issues,
    ...first.issues,
  ];
  if (issues.length > 0) throw await configurationError(issues, read, fileField);
  const { $schema: _, scenario: __, signingKey: ___, ...others } = program;
  const store = parseStore(program.store, stores)!;
  const { pathname } = new URL(issuer);
  const issuersByPath = pathname === "/" ? file.issuersByPath : undefined;
  const ids = issuersByPath === undefined ? file.issuersByPath?.ids ?? [] : [];
  const leftOut = ids.filter((id) => id !== pathname.slice(pathname.lastIndexOf("/") + 1));
  const warnings = [
    ...read.warnings,
    ...file.warnings ?? [],
    ...issuersByPath !== undefined && store.kind !== "memory"
      ? [{ path: options.store?.source ?? "store", message: "Issuers at paths keep their records in memory." }]
      : [],
    ...leftOut.length > 0
      ? [{
        path: `${fileName}: tokenCallbacks`,
        message:
          `There is no issuer ${listNames(leftOut.map(printable))}, because the server's own issuer has a path: ` +
          `${printable(pathname)}. For an issuer at each path, remove the profile or the setting that gives it.`,
      }]
      : [],
    ...portWarning(settings, program.port, findSource("issuer", options, fileName)),
    ...store.warning === undefined ? [] : [{ path: options.store?.source ?? "store", message: store.warning }],
  ];
  return {
    ...others,
    kind: "run",
    ...{ settings, resolved },
    isLogChosen: values.log !== undefined,
    ...scenarios !== undefined && { scenarios },
    store,
    tls: tls.read,
    ...path !== undefined && file.text !== undefined && { file: { path, text: file.text } },
    ...file.requestMappings && { requestMappings: file.requestMappings(issuer) },
    ...issuersByPath && { issuersByPath },
    ...first.key && { signingKey: first.key },
    ...configSource && { configSource },
    warnings,
  };
}

interface ReadValues {
  /** The values: a flag counts before a variable, a variable before the file. */
  readonly values: ConfigFile;
  /** The values of flags and variables. */
  readonly options: RawOptions;
  readonly file: ConfigFileResult;
  /** The path of the file, to which paths in it are relative; absent without a file. */
  readonly path?: string;
  /** The file, or the variable with its content; absent without both. */
  readonly configSource?: ConfigSource;
  readonly fileName?: string;
  /** The scenarios, with those in files. Absent: none is set. */
  readonly scenarios?: readonly ChosenScenario[];
  readonly issues: readonly ConfigIssue[];
  readonly warnings: readonly ConfigurationWarning[];
}

/** Reads the variables and the file, and the files that values name. */
async function readValues(
  flags: RawOptions,
  fields: OptionFields,
  fileField: Field<ConfigFile>,
  sources: ConfigurationSources,
): Promise<ReadValues> {
  const { env, readTextFile } = sources;
  const environment = await readEnvironment(env, fields, readTextFile);
  const options: RawOptions = { ...environment.options, ...flags };
  const { path, file, source: configSource } = await readFile(options, environment.configText, fileField, sources);
  const fileName = configSource?.name;
  const values: Record<string, unknown> = { ...file.content };
  for (const [name, { value }] of Object.entries(options)) if (value !== undefined) values[name] = value;
  const profiles = await loadFiles(
    values.profile,
    () => providerProfileField(extendedFields.paths),
    findSource("profile", options, fileName),
    options.profile === undefined ? path : undefined,
    readTextFile,
  );
  if (profiles.value !== values.profile) values.profile = profiles.value;
  const scenarios = await readScenarios(
    values.scenario,
    findSource("scenario", options, fileName),
    options.scenario === undefined ? path : undefined,
    readTextFile,
  );
  return {
    ...{ values, options, file, path, configSource, fileName },
    scenarios: scenarios?.read,
    issues: [...environment.issues, ...file.issues, ...profiles.issues, ...scenarios?.issues ?? []],
    warnings: environment.warnings,
  };
}

/** An issue of a setting at its source; a value from a file of its own is hidden. */
function locateIssue(issue: ConfigIssue, fields: OptionFields, { options, fileName }: ReadValues): ConfigIssue {
  const name = findOption(issue.path);
  const path = findSource(issue.path, options, fileName);
  const { source, text } = name && options[name] || {};
  const isHidden = text !== undefined && source?.endsWith(fileSuffix);
  return { ...issue, path, ...isHidden && hiddenValue(fields[name!], text) };
}

/** The error, with the lines of the file that the issues are about. */
async function configurationError(
  issues: readonly ConfigIssue[],
  { file, fileName, configSource, warnings }: ReadValues,
  fileField: Field,
): Promise<ConfigurationError> {
  const located = file.text === undefined || fileName === undefined
    ? issues
    // It loads jsonc-parser, which a start without issues does not need.
    : (await import("./excerpt.ts")).addExcerpts(issues, file.text, printable(fileName), fileField);
  const found = { path: configFileName, message: `${describeFoundFile(configSource)}.` };
  return new ConfigurationError(located, [...warnings, ...configSource?.isFound ? [found] : []]);
}

/**
 * Reads the file that an option names, the content of a variable, or the file in the working directory.
 *
 * @returns Also `path`, to which paths in the file are relative; absent without a file.
 */
async function readFile(
  { config }: RawOptions,
  configText: string | undefined,
  field: Field<ConfigFile>,
  sources: ConfigurationSources,
): Promise<{ readonly file: ConfigFileResult; readonly path?: string; readonly source?: ConfigSource }> {
  if (config?.text === noConfig) return { file: noConfigFile };
  if (config === undefined && configText === undefined) {
    const issue = foundFileIssue(configFileName);
    if (issue !== undefined) return { file: { ...unreadableConfigFile, issues: [issue] } };
  }
  const isFound = config === undefined && configText === undefined &&
    await sources.readTextFile(configFileName).then(() => true, (error) => !isAbsentFile(error));
  if (config === undefined && configText === undefined && !isFound) return { file: noConfigFile };
  if (config === undefined && configText !== undefined) {
    const file = await parseConfigText(configText, configTextVariable, field, sources);
    return { file, source: { name: configTextVariable, isFound } };
  }
  // An invalid option has its own issue.
  const path = isFound ? configFileName : config?.text;
  if (path === undefined) return { file: unreadableConfigFile };
  const file = await readConfigFile(path, config?.source ?? "--config", field, sources, isFound);
  return { file, path, source: { name: path, isFound, ...file.keepsPlaceholders && { keepsPlaceholders: true } } };
}

/**
 * A warning if the issuer is on this machine but leads to another port. For an issuer on another machine, and with a
 * trusted proxy, another program listens on the port of the issuer.
 */
function portWarning(
  { issuer, trustProxy }: Settings,
  port: number,
  path: string,
): ConfigurationWarning[] {
  if (issuer === undefined || issuer === fromHost || trustProxy !== undefined || port === 0) return [];
  const url = new URL(issuer);
  const issuerPort = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  if (!leadsToLoopback(url.hostname) || issuerPort === port) return [];
  const message =
    `Clients connect to port ${issuerPort} of the issuer, but the server listens on port ${port}. Set the ` +
    `port to ${issuerPort}, or the issuer to port ${port}; if a proxy forwards the requests, set trustProxy.`;
  return [{ path, message }];
}

/** Certificate and key from the named files; generated ones may be new. The listener checks whether they match. */
async function readTls(
  options: RawOptions,
  { tls, tlsCert, tlsKey }: ConfigFile,
  fileName: string | undefined,
  readTextFile: ReadTextFile,
): Promise<
  { readonly wanted: boolean; readonly read?: TlsChoice; readonly issues: readonly ConfigIssue[] }
> {
  if (tls !== undefined && (tlsCert ?? tlsKey) === undefined) return { wanted: true, read: tls, issues: [] };
  // The issue of an invalid option was already reported.
  const isInvalid = [options.tlsCert, options.tlsKey].some((option) => option && option.value === undefined);
  if (isInvalid) return { wanted: true, issues: [] };
  if (tlsCert === undefined && tlsKey === undefined) return { wanted: false, issues: [] };
  if (tlsCert === undefined || tlsKey === undefined) {
    const [name, present, missing] = tlsKey === undefined
      ? ["tlsCert", "certificate", "private key"]
      : ["tlsKey", "key", "certificate"];
    return {
      wanted: true,
      issues: [{
        path: findSource(name, options, fileName),
        expected: "a certificate and its private key, each in a file",
        received: `the ${present} alone`,
        hint: `Name the file of the ${missing} too.`,
      }],
    };
  }
  const isAbsent = (path: string) => readTextFile(path).then(() => false, isAbsentFile);
  if (tls !== undefined && await isAbsent(tlsCert) && await isAbsent(tlsKey)) {
    const files = { cert: tlsCert, key: tlsKey };
    const read = async (hosts: readonly string[]) =>
      (await import("./new_certificate.ts")).newCertificate(files, hosts);
    return { wanted: true, read, issues: [] };
  }
  const [cert, key] = await Promise.all([
    readNamedFile(tlsCert, findSource("tlsCert", options, fileName), readTextFile),
    readNamedFile(tlsKey, findSource("tlsKey", options, fileName), readTextFile),
  ]);
  if (typeof cert === "string" && typeof key === "string") return { wanted: true, read: { cert, key }, issues: [] };
  return { wanted: true, issues: [cert, key].filter((text) => typeof text !== "string") };
}

/** The first signing key, in a file of its own or in a configuration of mock-oauth2-server. */
async function readFirstKey(
  { signingKey: path }: ProgramValues,
  { options, fileName, file }: ReadValues,
  alg: SigningAlgorithm,
  readTextFile: ReadTextFile,
): Promise<{ readonly key?: PrivateJwk; readonly issues: readonly ConfigIssue[] }> {
  if (path === undefined && file.signingKey === undefined) return { issues: [] };
  const { findSigningKeyIssues, readSigningKey } = await import("./signing_key.ts");
  if (path !== undefined) {
    return await readSigningKey(path, findSource("signingKey", options, fileName), alg, readTextFile);
  }
  const { signingKey: key } = file;
  const at = findSource("tokenProvider.keyProvider.initialKeys", options, fileName);
  return { key, issues: await findSigningKeyIssues(key!, alg, at, "tokenProvider.keyProvider.algorithm") };
}

/** The scenarios that the setting names, with those in files. */
async function readScenarios(
  scenario: unknown,
  path: string,
  configPath: string | undefined,
  readTextFile: ReadTextFile,
): Promise<{ readonly read: readonly ChosenScenario[]; readonly issues: readonly ConfigIssue[] } | undefined> {
  if (scenario === undefined) return undefined;
  const { chooseScenario } = await import("../testing/scenarios/choose.ts");
  const files = await loadFiles(scenario, () => scenarioField, path, configPath, readTextFile);
  const found = ((files.value ?? []) as readonly (string | Scenario)[])
    .map((item) => typeof item === "string" ? chooseScenario(item) : item);
  const issues = found.flatMap((item) => "steps" in item ? [] : [{ path, ...item }]);
  return { read: found.filter((item) => "steps" in item), issues: [...files.issues, ...issues] };
}

/** The issue of scenarios without the control, which runs them. */
function withoutControl(path: string, isTestHost: boolean): ConfigIssue {
  return isTestHost
    ? {
      ...{ path, expected: "the control as well, which runs the scenario", received: "no control" },
      hint: "Add --control on, or control in the file.",
    }
    : {
      ...{ path, expected: "an issuer on a test host, because every visitor meets the scenario", received: "another" },
      hint: "Remove it, or use an issuer on a test host.",
    };
}

/** The option of a setting, or of an element of it. */
function findOption(path: string): OptionName | undefined {
  return optionNames.find((name) => name === path.replace(/\[\d+\]$/, ""));
}

/** The source of a setting: a flag, a variable, the file, or none. */
function findSource(path: string, options: RawOptions, fileName: string | undefined): string {
  const name = findOption(path);
  const option = name && options[name];
  if (option?.value !== undefined) return option.source;
  return fileName === undefined ? path : `${printable(fileName)}: ${path}`;
}

/**
 * The issues of settings that match their description, without issues that only follow from invalid values.
 *
 * @param invalidPaths Paths that `settings` does not represent, or `"everything"` for all except the issuer.
 */
function semanticErrors(
  issues: readonly ConfigIssue[],
  settings: Settings,
  invalidPaths: ReadonlySet<string> | "everything",
): ConfigIssue[] {
  const invalid = invalidPaths === "everything" ? new Set<string>() : invalidPaths;
  // Both settings add scope values.
  const areScopesUnknown = [...invalid].some((place) => /^(?:scopes|claims)(?:$|[.[])/.test(place));
  return issues.filter(({ path }) => {
    if (path === "issuer") return settings.issuer !== undefined;
    if (invalidPaths === "everything") return false;
    if (areScopesUnknown && /^defaultScope$|^clients\[\d+\]\.scope$/.test(path)) return false;
    const holders = [...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index));
    return ![path, ...holders].some((place) => invalid.has(place));
  });
}
