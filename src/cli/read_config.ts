/** Puts the configuration together: a flag beats the environment, which beats the file, which beats the default. */

import type { Settings } from "../oauth/config/settings.ts";
import { ConfigurationError } from "../oauth/config/configuration_error.ts";
import type { ConfigurationWarning, Fault } from "../oauth/config/config_issue.ts";
import { type Environment, hiddenContent, inFile, readEnvironment } from "./environment.ts";
import { noFile, readFile, unreadFile } from "./config_file.ts";
import { readFlags } from "./flags.ts";
import { findMeaningFaults, type JudgeSettings } from "./semantic_errors.ts";
import {
  defaults,
  isStore,
  logFormats,
  loginModes,
  operatorRules,
  parseStore,
  proxyHeaders,
  storeWarnings,
} from "./option_definitions.ts";
import type { FileContent, OperatorName, Said, Sayings, StoreChoice } from "./option_definitions.ts";
import { printable, showValue } from "./show.ts";
import { readText, type ReadTextFile } from "./text_file.ts";

/** Where configuration comes from. */
export interface Sources {
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
 * @param settingsFaults judges the meaning of the settings
 * @throws {ConfigurationError} with every fault in all three sources at once
 */
export async function readConfiguration(sources: Sources, settingsFaults: JudgeSettings): Promise<Configuration> {
  const flags = await readFlags(sources.args);
  if (flags.kind === "help") return { kind: "help", text: (await import("./help.ts")).helpText };
  if (flags.kind !== "run") return flags;

  const environment = await readEnvironment(sources.env, sources.readTextFile);
  const said: Sayings = { ...environment.said, ...flags.said };
  const file = said.config === undefined
    ? noFile
    : said.config.value === undefined
    ? unreadFile
    : await readFile(said.config.value, said.config.place, sources);

  const { operator, fileSettings } = sortContent(file.content);
  const port = Number(said.port?.value ?? operator.port ?? defaults.port);
  const issuer = said.issuer?.value ?? fileSettings.issuer;
  const login = loginModes.find((mode) => mode === said.login?.value);
  const trustProxy = said["trust-proxy"]?.value?.split(",").map((name) => name.trim());
  const proxyHeader = proxyHeaders.find((header) => header === said["proxy-header"]?.value);
  const settings: Settings = {
    ...fileSettings,
    ...issuer !== undefined && { issuer },
    ...login !== undefined && { login },
    ...trustProxy !== undefined && { trustProxy },
    ...proxyHeader !== undefined && { proxyHeader },
  };

  const tls = await readTls(said, operator, sources.readTextFile);
  const local = `${tls.wanted ? "https" : "http"}://localhost:${port}`;
  const meaning = findMeaningFaults(settings, issuer ?? local, file.unsound, settingsFaults);
  const placed = meaning.map((fault) => {
    const name = sayable[fault.place.replace(/\[\d+\]$/, "")];
    const fromFile = name && said[name]?.place.endsWith(inFile) ? said[name].value : undefined;
    const place = findOrigin(fault.place, said);
    return fromFile === undefined ? { ...fault, place } : { ...fault, place, ...hiddenContent(name!, fromFile) };
  });
  const storeFaults = said.store === undefined && operator.store !== undefined && !isStore(operator.store)
    ? [storeFault(findOrigin("store", said), operator.store)]
    : [];
  const faults = [
    ...[...flags.faults, ...environment.faults, ...file.faults],
    ...[...placed, ...storeFaults, ...tls.faults],
  ];
  if (faults.length > 0) throw new ConfigurationError(faults, environment.warnings);
  const store = parseStore(said.store?.value ?? operator.store ?? defaults.store);
  const warnings = [...environment.warnings, ...storeWarnings(store, said.store?.place ?? "store")];
  const metricsPort = said["metrics-port"]?.value ?? operator.metricsPort;
  const metricsHost = said["metrics-host"]?.value ?? operator.metricsHost ?? defaults.metricsHost;
  return {
    kind: "run",
    settings,
    port,
    host: said.host?.value ?? operator.host ?? defaults.host,
    store,
    inspector: said.inspector?.value === undefined ? operator.inspector : said.inspector.value === "on",
    insecureAllowInspector: operator.insecureAllowInspector ?? false,
    log: logFormats.find((format) => format === said.log?.value) ?? operator.log ?? defaults.log,
    metrics: metricsPort === undefined ? undefined : { port: Number(metricsPort), host: metricsHost },
    tls: tls.read,
    maxInFlight: Number(said["max-in-flight"]?.value ?? operator.maxInFlight ?? defaults.maxInFlight),
    drain: Number(said.drain?.value ?? operator.drain ?? defaults.drain),
    warnings,
  };
}

/** Takes apart what is for the server and what is for the program around it. */
function sortContent(content: FileContent): { operator: Omit<FileContent, keyof Settings>; fileSettings: Settings } {
  const { $schema: _, port, host, store, inspector, insecureAllowInspector, ...others } = content;
  const { log, metricsPort, metricsHost, tlsCert, tlsKey, maxInFlight, drain, ...fileSettings } = others;
  const told = { log, metricsPort, metricsHost, tlsCert, tlsKey, maxInFlight, drain };
  return { operator: { port, host, store, inspector, insecureAllowInspector, ...told }, fileSettings };
}

/** Certificate and key, from the files that somebody named; whether they belong together is found out by who uses them. */
async function readTls(
  said: Sayings,
  { tlsCert, tlsKey }: FileContent,
  readTextFile: ReadTextFile,
): Promise<{ wanted: boolean; read?: { cert: string; key: string }; faults: Fault[] }> {
  const inFile = (key: string, value: string | undefined): Said | undefined =>
    value === undefined ? undefined : { place: findOrigin(key, said), value };
  const cert = said["tls-cert"] ?? inFile("tlsCert", tlsCert);
  const key = said["tls-key"] ?? inFile("tlsKey", tlsKey);
  if (cert === undefined && key === undefined) return { wanted: false, faults: [] };
  // What could not be used has been told already.
  if ([cert, key].some((said) => said !== undefined && said.value === undefined)) return { wanted: true, faults: [] };
  const [alone, other] = cert === undefined ? [key, "key"] as const : [cert, "certificate"] as const;
  if (cert === undefined || key === undefined) {
    const expected = "a certificate and its private key, each in a file";
    const mend = `Name the file of the ${other === "key" ? "certificate" : "private key"} too.`;
    return { wanted: true, faults: [{ place: alone!.place, expected, found: `the ${other} alone`, mend }] };
  }
  const texts = await Promise.all([cert, key].map(({ place, value }) => readText(value!, place, readTextFile)));
  const faults = texts.filter((text) => typeof text !== "string");
  const [certText, keyText] = texts;
  if (typeof certText !== "string" || typeof keyText !== "string") return { wanted: true, faults };
  return { wanted: true, read: { cert: certText, key: keyText }, faults: [] };
}

/** The URL of a store in the file: it matches the schema's pattern but cannot be parsed. */
function storeFault(place: string, store: string): Fault {
  const { expected, example, hint } = operatorRules.store;
  const mend = hint?.(store) ?? `Write it like "store": "${example}".`;
  return { place, expected, found: showValue(store, ["store"]), mend };
}

/** What the settings are called that can be said without a file. */
const sayable: Readonly<Record<string, OperatorName>> = {
  issuer: "issuer",
  login: "login",
  trustProxy: "trust-proxy",
  proxyHeader: "proxy-header",
};

/** Where a setting was said: by flag, by variable, in the file, or nowhere. */
function findOrigin(place: string, said: Sayings): string {
  const name = sayable[place.replace(/\[\d+\]$/, "")];
  const saying = name === undefined ? undefined : said[name];
  if (saying?.value !== undefined) return saying.place;
  return said.config?.value === undefined ? place : `${printable(said.config.value)}: ${place}`;
}
