/** Puts the configuration together: a flag beats the environment, which beats the file, which beats the default. */

import type { Settings } from "../oauth/settings.ts";
import { ConfigurationError } from "../oauth/settings_error.ts";
import { type Environment, readEnvironment } from "./environment.ts";
import { noFile, readFile, type ReadTextFile, unreadFile } from "./file.ts";
import { readFlags } from "./flags.ts";
import { findMeaningFaults, type JudgeSettings } from "./meaning.ts";
import { defaults, parseStore, type Sayings, type StoreChoice } from "./operator.ts";
import { printable } from "./show.ts";

/** Where configuration comes from. */
export interface Sources {
  /** The command line, without the program. */
  readonly args: readonly string[];
  readonly env: Environment;
  /** Called at most once, with the path of the configuration file. */
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
  }
  /** Show `text`, which ends with a newline, and leave. */
  | { readonly kind: "help"; readonly text: string }
  /** Show the version, and leave. */
  | { readonly kind: "version" };

/**
 * Reads flags, environment and file. Loads no library unless there are flags, a file or faults.
 *
 * @param settingsFaults judges the meaning of the settings
 * @throws {ConfigurationError} with every fault in all three sources at once
 */
export async function readConfiguration(sources: Sources, settingsFaults: JudgeSettings): Promise<Configuration> {
  const flags = await readFlags(sources.args);
  if (flags.kind === "help") return { kind: "help", text: (await import("./help.ts")).helpText };
  if (flags.kind === "version") return flags;

  const environment = await readEnvironment(sources.env);
  const said: Sayings = { ...environment.said, ...flags.said };
  const file = said.config === undefined
    ? noFile
    : said.config.value === undefined
    ? unreadFile
    : await readFile(said.config.value, said.config.place, sources.readTextFile);

  const { $schema: _, port: filePort, host: fileHost, store: fileStore, ...fileSettings } = file.content;
  const port = Number(said.port?.value ?? filePort ?? defaults.port);
  const issuer = said.issuer?.value ?? fileSettings.issuer;
  const settings: Settings = issuer === undefined ? fileSettings : { ...fileSettings, issuer };

  const meaning = findMeaningFaults(settings, issuer ?? `http://localhost:${port}`, file.unsound, settingsFaults);
  const placed = meaning.map((fault) => ({ ...fault, place: findOrigin(fault.place, said) }));
  const faults = [...flags.faults, ...environment.faults, ...file.faults, ...placed];
  if (faults.length > 0) throw new ConfigurationError(faults);
  return {
    kind: "run",
    settings,
    port,
    host: said.host?.value ?? fileHost ?? defaults.host,
    store: parseStore(said.store?.value ?? fileStore ?? defaults.store),
  };
}

/** Where a setting was said: by flag, by variable, in the file, or nowhere. */
function findOrigin(place: string, said: Sayings): string {
  if (place === "issuer" && said.issuer?.value !== undefined) return said.issuer.place;
  return said.config?.value === undefined ? place : `${printable(said.config.value)}: ${place}`;
}
