/** Puts the configuration together: a flag beats the environment, which beats the file, which beats the default. */

import type { Settings } from "../oauth/config/settings.ts";
import { ConfigurationError } from "../oauth/config/configuration_error.ts";
import type { ConfigIssue, ConfigurationWarning } from "../oauth/config/config_issue.ts";
import { type Environment, fileSuffix, hiddenValue, readEnvironment } from "./environment.ts";
import { noConfigFile, readConfigFile, unreadableConfigFile } from "./config_file.ts";
import { readFlags } from "./flags.ts";
import { semanticErrors, type ValidateSettings } from "./semantic_errors.ts";
import {
  defaults,
  isValidStore,
  logFormats,
  loginModes,
  optionDefinitions,
  parseStore,
  proxyHeaders,
  storeWarnings,
} from "./options.ts";
import type { ConfigFile, OptionName, RawOption, RawOptions, StoreChoice } from "./options.ts";
import { printable, showValue } from "./show.ts";
import { readText, type ReadTextFile } from "./text_file.ts";

/** Where configuration comes from. */
export interface ConfigurationSources {
  /** The command line, without the program. */
  readonly args: readonly string[];
  readonly env: Environment;
  /** Called with the path of every file that is named: of the configuration, of secrets, of a certificate. */
  readonly readTextFile: ReadTextFile;
}

/** What the person who starts the server wants. */
export type Configuration =
  | {
    readonly kind: "run";
    /** For the server; `issuer` is absent unless somebody named one. */
    readonly settings: Settings;
    /** The TCP port to listen on, 0 for any free one. */
    readonly port: number;
    /** The name or address to listen on. */
    readonly host: string;
    readonly store: StoreChoice;
    /** Whether there are pages that show each login; absent where nobody said. */
    readonly inspector?: boolean;
    /** Whether strangers may see them. */
    readonly insecureAllowInspector: boolean;
    /** How the log reads. */
    readonly log: typeof logFormats[number];
    /** Where metrics are served; absent: nowhere. */
    readonly metrics?: { readonly port: number; readonly host: string };
    /** Certificate and private key, both as PEM; absent: plain http. */
    readonly tls?: { readonly cert: string; readonly key: string };
    /** Requests that may be under way at the same time. */
    readonly maxInFlight: number;
    /** Seconds for which it goes on serving when it is told to stop. */
    readonly drain: number;
    /** Warnings about everything outside of `settings`; the server itself traces warnings about `settings`. */
    readonly warnings: readonly ConfigurationWarning[];
  }
  /** Show `text`, which ends with a newline, and leave. */
  | { readonly kind: "help"; readonly text: string }
  /** Show the version, and leave. */
  | { readonly kind: "version" }
  /** Show the licences of what is inside, and leave. */
  | { readonly kind: "licenses" }
  /** Show the JSON Schema of the configuration file, and leave. */
  | { readonly kind: "schema" }
  /** Read a password, show its digest, and leave. */
  | { readonly kind: "hash-password" };

/**
 * Reads flags, environment and file. Loads no library unless there are flags, a file or faults.
 *
 * @param validateSettings judges the meaning of the settings
 * @throws {ConfigurationError} with every fault in all three sources at once
 */
export async function readConfiguration(
  sources: ConfigurationSources,
  validateSettings: ValidateSettings,
): Promise<Configuration> {
  const flags = await readFlags(sources.args);
  if (flags.kind === "help") return { kind: "help", text: (await import("./help.ts")).helpText };
  if (flags.kind !== "run") return flags;

  const environment = await readEnvironment(sources.env, sources.readTextFile);
  const options: RawOptions = { ...environment.options, ...flags.options };
  const file = options.config === undefined
    ? noConfigFile
    : options.config.value === undefined
    ? unreadableConfigFile
    : await readConfigFile(options.config.value, options.config.source, sources);

  const { operator, fileSettings } = splitContent(file.content);
  const port = Number(options.port?.value ?? operator.port ?? defaults.port);
  const issuer = options.issuer?.value ?? fileSettings.issuer;
  const login = loginModes.find((mode) => mode === options.login?.value);
  const trustProxy = options["trust-proxy"]?.value?.split(",").map((name) => name.trim());
  const proxyHeader = proxyHeaders.find((header) => header === options["proxy-header"]?.value);
  const settings: Settings = {
    ...fileSettings,
    ...issuer !== undefined && { issuer },
    ...login !== undefined && { login },
    ...trustProxy !== undefined && { trustProxy },
    ...proxyHeader !== undefined && { proxyHeader },
  };

  const tls = await readTls(options, operator, sources.readTextFile);
  const defaultIssuer = `${tls.wanted ? "https" : "http"}://localhost:${port}`;
  const settingsIssues = semanticErrors(settings, issuer ?? defaultIssuer, file.invalidPaths, validateSettings);
  const locatedIssues = settingsIssues.map((issue) => {
    const name = optionNamesBySetting[issue.path.replace(/\[\d+\]$/, "")];
    const fromFile = name && options[name]?.source.endsWith(fileSuffix) ? options[name].value : undefined;
    const path = findSource(issue.path, options);
    return fromFile === undefined ? { ...issue, path } : { ...issue, path, ...hiddenValue(name!, fromFile) };
  });
  const storeIssues = options.store === undefined && operator.store !== undefined && !isValidStore(operator.store)
    ? [storeIssue(findSource("store", options), operator.store)]
    : [];
  const issues = [
    ...[...flags.issues, ...environment.issues, ...file.issues],
    ...[...locatedIssues, ...storeIssues, ...tls.faults],
  ];
  if (issues.length > 0) throw new ConfigurationError(issues, environment.warnings);
  const store = parseStore(options.store?.value ?? operator.store ?? defaults.store);
  const warnings = [...environment.warnings, ...storeWarnings(store, options.store?.source ?? "store")];
  const metricsPort = options["metrics-port"]?.value ?? operator.metricsPort;
  const metricsHost = options["metrics-host"]?.value ?? operator.metricsHost ?? defaults.metricsHost;
  return {
    kind: "run",
    settings,
    port,
    host: options.host?.value ?? operator.host ?? defaults.host,
    store,
    inspector: options.inspector?.value === undefined ? operator.inspector : options.inspector.value === "on",
    insecureAllowInspector: operator.insecureAllowInspector ?? false,
    log: logFormats.find((format) => format === options.log?.value) ?? operator.log ?? defaults.log,
    metrics: metricsPort === undefined ? undefined : { port: Number(metricsPort), host: metricsHost },
    tls: tls.read,
    maxInFlight: Number(options["max-in-flight"]?.value ?? operator.maxInFlight ?? defaults.maxInFlight),
    drain: Number(options.drain?.value ?? operator.drain ?? defaults.drain),
    warnings,
  };
}

/** Takes apart what is for the server and what is for the program around it. */
function splitContent(content: ConfigFile): { operator: Omit<ConfigFile, keyof Settings>; fileSettings: Settings } {
  const { $schema: _, port, host, store, inspector, insecureAllowInspector, ...others } = content;
  const { log, metricsPort, metricsHost, tlsCert, tlsKey, maxInFlight, drain, ...fileSettings } = others;
  const loggingAndLimits = { log, metricsPort, metricsHost, tlsCert, tlsKey, maxInFlight, drain };
  return { operator: { port, host, store, inspector, insecureAllowInspector, ...loggingAndLimits }, fileSettings };
}

/** Certificate and key, from the files that somebody named; whether they belong together is found out by who uses them. */
async function readTls(
  options: RawOptions,
  { tlsCert, tlsKey }: ConfigFile,
  readTextFile: ReadTextFile,
): Promise<{ wanted: boolean; read?: { cert: string; key: string }; faults: ConfigIssue[] }> {
  const fromFile = (key: string, value: string | undefined): RawOption | undefined =>
    value === undefined ? undefined : { source: findSource(key, options), value };
  const cert = options["tls-cert"] ?? fromFile("tlsCert", tlsCert);
  const key = options["tls-key"] ?? fromFile("tlsKey", tlsKey);
  if (cert === undefined && key === undefined) return { wanted: false, faults: [] };
  // What could not be used has been told already.
  if ([cert, key].some((options) => options !== undefined && options.value === undefined)) {
    return { wanted: true, faults: [] };
  }
  const [given, other] = cert === undefined ? [key, "key"] as const : [cert, "certificate"] as const;
  if (cert === undefined || key === undefined) {
    const expected = "a certificate and its private key, each in a file";
    const hint = `Name the file of the ${other === "key" ? "certificate" : "private key"} too.`;
    return { wanted: true, faults: [{ path: given!.source, expected, received: `the ${other} alone`, hint }] };
  }
  const texts = await Promise.all([cert, key].map(({ source, value }) => readText(value!, source, readTextFile)));
  const issues = texts.filter((text) => typeof text !== "string");
  const [certText, keyText] = texts;
  if (typeof certText !== "string" || typeof keyText !== "string") return { wanted: true, faults: issues };
  return { wanted: true, read: { cert: certText, key: keyText }, faults: [] };
}

/** The URL of a store in the file: it matches the schema's pattern but cannot be parsed. */
function storeIssue(path: string, store: string): ConfigIssue {
  const { expected, example, hintFor } = optionDefinitions.store;
  const hint = hintFor?.(store) ?? `Write it like "store": "${example}".`;
  return { path, expected, received: showValue(store, ["store"]), hint };
}

/** What the settings are called that can be said without a file. */
const optionNamesBySetting: Readonly<Record<string, OptionName>> = {
  issuer: "issuer",
  login: "login",
  trustProxy: "trust-proxy",
  proxyHeader: "proxy-header",
};

/** Where a setting was said: by flag, by variable, in the file, or nowhere. */
function findSource(path: string, options: RawOptions): string {
  const name = optionNamesBySetting[path.replace(/\[\d+\]$/, "")];
  const option = name === undefined ? undefined : options[name];
  if (option?.value !== undefined) return option.source;
  return options.config?.value === undefined ? path : `${printable(options.config.value)}: ${path}`;
}
