/** The program while its products are added, and what a product is. */

import type { ClientCheck } from "../../check/client_check.ts";
import type { ConfigurationWarning } from "../../core/rules/configuration_error.ts";
import type { ReadRules } from "../../devtools/rules/rules_file.ts";
import type { ProcessEnvironment } from "../../platform/runtime/process_environment.ts";
import type { Recorder } from "../../recorder/recorder.ts";
import type { Plugin } from "../../server/hosting/options.ts";
import type { Latchkey } from "../../server/hosting/latchkey.ts";
import type { Settings } from "../../server/config/settings.ts";
import type { TraceEvent } from "../../server/trace.ts";
import type { ProgramControl } from "../../testing/control/program_control.ts";
import type { RequestMapping } from "../mock_oauth2_config.ts";
import { formatEvent } from "../operating/format_event.ts";
import type { Health } from "../operating/health.ts";
import type { logging } from "../operating/logging.ts";
import type { Configuration } from "../read_config.ts";

/** The configuration of a server that starts. */
export type RunConfiguration = Extract<Configuration, { kind: "run" }>;

/** What products give to commands, and to products after them. Absent: the configuration has no use for it. */
export interface ProductHandles {
  /** The recorder of the inspector. */
  readonly recorder?: Recorder;
  readonly control?: ProgramControl;
  readonly log?: ReturnType<typeof logging>;
  readonly healthCheck?: Health;
  /** The check of clients by its pages. */
  readonly check?: ClientCheck;
}

/** A server of the program before it is opened. */
export interface Program extends ProductHandles {
  readonly config: RunConfiguration;
  readonly environment: ProcessEnvironment;
  /** The settings, with the default user first. */
  readonly settings: Settings;
  /** The mappings of this issuer; the configuration has those of all issuers. */
  readonly requestMappings?: readonly RequestMapping[];
  /** Whether the issuer is on a test host, so that tools for developers may be open. */
  readonly openTools: boolean;
  readonly inspectorEnabled: boolean;
  readonly faultsEnabled: boolean;
  /** Whether other machines can reach the server. */
  readonly isExposed: boolean;
  /** Reads the text of the rules; absent if their pages are not open. */
  readonly readRules?: ReadRules;
  /** The plugins, the outermost first. */
  readonly plugins: readonly Plugin[];
  /** What remains to be done, in order, once the server is open. */
  readonly starts: readonly ((server: Pick<Latchkey, "users">) => Promise<unknown>)[];
}

/** Takes the program and returns it with a product; unchanged, if its configuration has no use for the product. */
export type Product = (program: Program) => Program | Promise<Program>;

/** The program with plugins inside of those that it has. */
export function addPlugins(program: Program, ...plugins: readonly Plugin[]): Program {
  return { ...program, plugins: [...program.plugins, ...plugins] };
}

/** Reports a warning about the configuration: to the log, or without one to standard error. */
export function reportWarning(
  { log, environment }: Pick<Program, "environment" | "log">,
  warning: ConfigurationWarning,
): void {
  const event = { type: "configuration_warning", at: environment.now(), ...warning } as const;
  if (log === undefined) printWarning(event);
  else log.onEvent(event);
}

/** Prints a warning without a log, because nothing else reports a misspelt setting. */
export function printWarning(event: Extract<TraceEvent, { type: "configuration_warning" }>): void {
  console.error(formatEvent(event));
}

export async function addProducts(program: Program, products: readonly Product[]): Promise<Program> {
  let added = program;
  for (const add of products) added = await add(added);
  return added;
}
