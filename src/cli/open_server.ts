/** The server of the program, as its configuration describes it: with its products, store and default user. */

import type { ConfigurationWarning } from "../core/rules/configuration_error.ts";
import type { ReadRules } from "../devtools/rules/rules_file.ts";
import type { ProcessEnvironment } from "../platform/runtime/process_environment.ts";
import type { App } from "../server/app.ts";
import { listed, type Settings } from "../server/config/settings.ts";
import { type Latchkey, openLatchkey } from "../server/hosting/latchkey.ts";
import type { Trace } from "../server/trace.ts";
import type { StoredEntries } from "./banner.ts";
import { withUserFirst } from "./default_user.ts";
import { type ExposedParts, isThisMachineOnly } from "./exposure.ts";
import { formatEvent } from "./operating/format_event.ts";
import { products } from "./products/mod.ts";
import {
  addPlugins,
  addProducts,
  type ProductHandles,
  type Program,
  type RunConfiguration,
} from "./products/program.ts";
import { storeKinds } from "./stores.ts";

export type { RunConfiguration };

/** A server that does not listen yet, and what the program knows of it. */
export interface ProgramServer extends ProductHandles {
  readonly server: Latchkey;
  readonly app: App;
  /** What may be open to other machines, once the server listens. */
  exposed(): ExposedParts;
  readonly storedEntries: { readonly [of in StoredEntries["of"]]?: StoredEntries };
  /** Reports a warning about the configuration: to the log, or without one to standard error. */
  readonly warn: (warning: ConfigurationWarning) => void;
}

/**
 * Creates the server.
 *
 * @param changes Settings that a command adds. Default: none, and the server has the policy of the configuration.
 * @throws {ConfigurationError} If the configuration is invalid.
 * @throws {StoreError} If the store does not respond.
 */
export async function openServer(
  config: RunConfiguration,
  environment: ProcessEnvironment,
  readRules: ReadRules,
  changes?: Settings,
): Promise<ProgramServer> {
  const storedEntries: { [of in StoredEntries["of"]]?: StoredEntries } = {};
  // As a plugin, because the option `trace` redacts every event, which costs as much as a tenth of a login.
  const receive: Trace = (event) => {
    if (event.type === "stored_entries") storedEntries[event.of] = event;
    // Printed even without a log, because nothing else reports a misspelt setting.
    if (config.log === "off" && event.type === "configuration_warning") console.error(formatEvent(event));
  };
  const warn = (warning: ConfigurationWarning) => {
    const event = { type: "configuration_warning", at: environment.now(), ...warning } as const;
    program.log?.onEvent(event);
    receive(event);
  };
  let app: App | undefined;
  const listener = { setup: (assembled: App) => void (app = assembled), onEvent: receive };
  const program = await addProducts(newProgram(config, environment, readRules, warn, changes), [
    ...products,
    (program) => addPlugins(program, listener),
  ]);
  for (const warning of config.warnings) warn(warning);
  const { settings, plugins, starts, openTools, inspectorEnabled, faultsEnabled, ...handles } = program;
  const { resolved, store: { kind } } = config;
  const server = await openLatchkey({
    ...{ ...settings, plugins },
    store: await storeKinds[kind]!.open(config.store, (message) => warn({ path: "store", message })),
  }, changes === undefined ? { ...resolved, users: listed(settings.users) ?? resolved.users } : undefined);
  try {
    for (const start of starts) await start(server);
  } catch (error) {
    await server.close();
    throw error;
  }
  const exposed = (): ExposedParts => ({
    ...{ issuer: server.issuer, host: config.host, policy: app!.server.policy },
    inspector: inspectorEnabled ? openTools ? "on" : "insecure" : "off",
    faults: faultsEnabled ? "on" : "off",
    control: !config.control ? "off" : config.controlSecret === undefined ? "open" : "secret",
  });
  return { ...handles, server, app: app!, exposed, storedEntries, warn };
}

/** The program without products. */
function newProgram(
  config: RunConfiguration,
  environment: ProcessEnvironment,
  readRules: ReadRules,
  warn: Program["warn"],
  changes: Settings = {},
): Program {
  const { host, user, requestMappings, resolved: { policy, issuer } } = config;
  const { openTools } = policy.allows;
  const isExposed = !isThisMachineOnly({ issuer, host, policy });
  return {
    ...{ config, environment, requestMappings, openTools, isExposed, warn },
    settings: withUserFirst({ ...config.settings, ...changes }, user),
    inspectorEnabled: config.inspector ?? openTools,
    faultsEnabled: config.faults ?? (openTools && !isExposed),
    readRules: openTools ? readRules : undefined,
    plugins: [],
    starts: [],
  };
}
