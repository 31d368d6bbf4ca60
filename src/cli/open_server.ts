/** The server of the program, as its configuration describes it: with its products, store and default user. */

import { ConfigurationError, type ConfigurationWarning } from "../core/rules/configuration_error.ts";
import { StoreError } from "../core/store/store.ts";
import { ignoreRejection } from "../core/thenable.ts";
import type { ReadRules } from "../devtools/rules/rules_file.ts";
import type { ProcessEnvironment } from "../platform/runtime/process_environment.ts";
import type { App } from "../server/app.ts";
import { type Settings, unlessAny } from "../server/config/settings.ts";
import type { Plugin } from "../server/hosting/options.ts";
import { type Latchkey, openLatchkey } from "../server/hosting/latchkey.ts";
import type { Trace } from "../server/trace.ts";
import type { StoredEntries } from "./banner.ts";
import { withUserFirst } from "./default_user.ts";
import { type ExposedParts, isThisMachineOnly } from "./exposure.ts";
import { products } from "./products/mod.ts";
import {
  addPlugins,
  addProducts,
  printWarning,
  type ProductHandles,
  type Program,
  reportWarning,
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
 * @param outermost Plugins outside of all others. Default: none.
 * @throws {ConfigurationError} If the configuration is invalid.
 * @throws {StoreError} If the store does not respond.
 */
export async function openServer(
  config: RunConfiguration,
  environment: ProcessEnvironment,
  readRules: ReadRules,
  changes?: Settings,
  outermost: readonly Plugin[] = [],
): Promise<ProgramServer> {
  const storedEntries: { [of in StoredEntries["of"]]?: StoredEntries } = {};
  const onEvent: Trace = (event) => {
    if (event.type === "stored_entries") storedEntries[event.of] = event;
    if (config.log === "off" && event.type === "configuration_warning") printWarning(event);
  };
  const program = await addProducts({ ...newProgram(config, environment, readRules, changes), plugins: outermost }, [
    ...products,
    // As a plugin, because the option `trace` redacts every event, which costs as much as a tenth of a login.
    (program) => addPlugins(program, { onEvent }),
  ]);
  const warn = (warning: ConfigurationWarning) => reportWarning(program, warning);
  for (const warning of config.warnings) warn(warning);
  const { settings, plugins, starts, openTools, inspectorEnabled, faultsEnabled, ...handles } = program;
  const { resolved, store: { kind } } = config;
  const store = await storeKinds[kind]!.open(config.store, (message) => warn({ path: "store", message }));
  const { server, app } = await openLatchkey(
    { ...settings, plugins, store },
    // The settings of the program have the default user first.
    changes === undefined ? { ...resolved, users: unlessAny(settings.users) ?? resolved.users } : undefined,
  ).catch((error) => {
    ignoreRejection(store?.close());
    const { displayLocation: location } = config.store;
    const isUnnamed = error instanceof StoreError && error.details.location === "the store";
    if (isUnnamed) throw new StoreError({ ...error.details, location }, error.cause);
    if (!(error instanceof ConfigurationError) || error.issues[0]!.path !== "store") throw error;
    throw new ConfigurationError(
      error.issues.map((issue) => issue.path === "store" ? { ...issue, path: location } : issue),
    );
  });
  try {
    for (const start of starts) await start(server);
  } catch (error) {
    await server.close();
    throw error;
  }
  const exposed = (): ExposedParts => ({
    ...{ issuer: server.issuer, host: config.host, policy: app.server.policy },
    inspector: inspectorEnabled ? openTools ? "on" : "insecure" : "off",
    faults: faultsEnabled ? "on" : "off",
    control: !config.control ? "off" : config.controlSecret === undefined ? "open" : "secret",
  });
  return { ...handles, server, app, exposed, storedEntries, warn };
}

/** The program without products. */
function newProgram(
  config: RunConfiguration,
  environment: ProcessEnvironment,
  readRules: ReadRules,
  changes: Settings = {},
): Program {
  const { host, user, requestMappings, resolved: { policy, issuer } } = config;
  const { openTools } = policy.allows;
  const isExposed = !isThisMachineOnly({ issuer, host, policy });
  return {
    ...{ config, environment, requestMappings, openTools, isExposed },
    settings: withUserFirst({ ...config.settings, ...changes }, user),
    inspectorEnabled: config.inspector ?? openTools,
    faultsEnabled: config.faults ?? (openTools && !isExposed),
    readRules: openTools ? readRules : undefined,
    plugins: [],
    starts: [],
  };
}
