/** The server of the program, as its configuration describes it: with its plugins, store and default user. */

import { type ClientCheck, clientCheck } from "../check/client_check.ts";
import type { ReadRules } from "../devtools/rules/rules_file.ts";
import type { ProcessEnvironment } from "../platform/runtime/process_environment.ts";
import { type Recorder, recorder } from "../recorder/recorder.ts";
import type { App } from "../server/app.ts";
import { type Latchkey, openLatchkey } from "../server/hosting/latchkey.ts";
import type { Plugin } from "../server/hosting/options.ts";
import { ConfigurationError, type ConfigurationWarning } from "../core/configuration_error.ts";
import type { PrivateJwk } from "../client/private_jwk.ts";
import { quote } from "../server/config/config_issue.ts";
import type { HostedServer } from "../server/hosted_server.ts";
import { fromHost } from "../server/config/server_names.ts";
import { listed, type Settings } from "../server/config/settings.ts";
import type { Trace } from "../server/trace.ts";
import type { ProgramControl } from "../testing/control/program_control.ts";
import { programCommand } from "./about.ts";
import type { StoredEntries } from "./banner.ts";
import { chooseDefaultUser, withDefaultUser } from "./default_user.ts";
import { describeExposure, isThisMachineOnly } from "./exposure.ts";
import { type IssuersByPath, issuersByPath } from "./issuers_by_path.ts";
import { type IssuersByPathConfig, type RequestMapping, usersOfMappings } from "./mock_oauth2_config.ts";
import { warnOfChangedFile } from "./changed_file.ts";
import { formatEvent } from "./operating/format_event.ts";
import { health } from "./operating/health.ts";
import { limitConcurrency } from "./operating/limit_concurrency.ts";
import { logging } from "./operating/logging.ts";
import { type Metrics, metrics as createMetrics } from "./operating/metrics.ts";
import type { Configuration } from "./read_config.ts";
import type { Vary } from "../testing/vary/vary.ts";
import { storeKinds } from "./stores.ts";
import { requestMappings } from "../testing/request_mappings.ts";
import { checkPages } from "../check/check_pages.ts";
import { inspector } from "../devtools/inspector.ts";
import { disabledPages } from "../testing/disabled_pages.ts";
import { faultPages } from "../testing/fault_pages/mod.ts";
import { personas } from "../testing/personas.ts";

/** The configuration of a server that starts. */
export type RunConfiguration = Extract<Configuration, { kind: "run" }>;

/** A server that does not listen yet, and what the program knows of it. */
export interface ProgramServer {
  readonly server: Latchkey;
  readonly app: App;
  /** Whether the issuer is on a test host, so that tools for developers may be open. */
  readonly openTools: boolean;
  readonly inspectorEnabled: boolean;
  readonly faultsEnabled: boolean;
  /** The recorder of the inspector; absent without it. */
  readonly recorder?: Recorder;
  /** Absent without the setting `control`. */
  readonly control?: ProgramControl;
  /** Undefined seed, or absent, without the profile `vary:SEED`. */
  readonly vary?: Vary;
  /** Absent with `log: "off"`. */
  readonly log?: ReturnType<typeof logging>;
  /** Absent without `metricsPort`. */
  readonly metrics?: Metrics;
  readonly healthCheck: ReturnType<typeof health>;
  /** Absent without the pages for faults and flows. */
  readonly check?: ClientCheck;
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
  readAnyRules: ReadRules,
  changes?: Settings,
): Promise<ProgramServer> {
  const { env, isTerminal, terminalWidth, now, writeLogLine, onExit } = environment;
  const { resolved } = config;
  const settings = withDefaultUser({ ...config.settings, ...changes }, config.user);
  const { openTools } = resolved.policy.allows;
  const inspectorEnabled = config.inspector ?? openTools;
  const reach = { issuer: resolved.issuer, host: config.host, settings: resolved.policy };
  const faultsEnabled = config.faults ?? (openTools && isThisMachineOnly(reach));
  const log = config.log === "off" ? undefined : logging({
    write: writeLogLine,
    format: config.log,
    // Outside of a terminal, successes are written only if the format was chosen.
    verbose: isTerminal || config.isLogChosen,
    terminal: isTerminal ? () => ({ colors: !env.NO_COLOR, width: terminalWidth(), localTime: true }) : undefined,
  });
  if (log !== undefined) onExit(log.flush);
  const metrics = config.metrics && createMetrics();
  const healthCheck = health();
  const storedEntries: { [of in StoredEntries["of"]]?: StoredEntries } = {};
  // As a plugin, because the option `trace` redacts every event, which costs as much as a tenth of a login.
  const receive: Trace = (event) => {
    if (event.type === "stored_entries") storedEntries[event.of] = event;
    // Printed even without a log, because nothing else reports a misspelt setting.
    if (log === undefined && event.type === "configuration_warning") console.error(formatEvent(event));
  };
  const warn = (warning: ConfigurationWarning) => {
    const event = { type: "configuration_warning", at: now(), ...warning } as const;
    log?.onEvent(event);
    receive(event);
  };
  for (const warning of config.warnings) warn(warning);
  const noticeChange = config.file && warnOfChangedFile(config.file, environment, warn);
  let app: App | undefined;
  const readRules = openTools ? readAnyRules : undefined;
  const check = openTools && faultsEnabled && inspectorEnabled
    ? clientCheck({ exposed: !isThisMachineOnly(reach), program: programCommand(environment) })
    : undefined;
  const tools = { settings, inspectorEnabled, faultsEnabled, openTools, readRules };
  const issuers = config.issuersByPath && openIssuersByPath(config, config.issuersByPath, tools, healthCheck);
  const ofApp = await openAppPlugins(config, { ...tools, check });
  const { control } = ofApp;
  const server = await openLatchkey({
    ...settings,
    // The first plugin is the outermost.
    plugins: [
      ...issuers === undefined ? [] : [issuers],
      limitConcurrency({ maxInFlight: config.maxInFlight }),
      ...check === undefined ? [] : [check.plugin],
      ...log === undefined ? [] : [log],
      ...metrics === undefined ? [] : [metrics],
      healthCheck,
      ...config.mcpServer === undefined ? [] : [await openMcpServer(config.mcpServer)],
      ...ofApp.plugins,
      { setup: (assembled) => void (app = assembled), onEvent: receive },
      ...noticeChange === undefined ? [] : [{ onEvent: noticeChange }],
    ],
    store: await storeKinds[config.store.kind]!.open(config.store, (message) => warn({ path: "store", message })),
  }, changes === undefined ? { ...resolved, users: listed(settings.users) ?? resolved.users } : undefined);
  try {
    await startApp(config, server, app!, control);
    for (const id of config.issuersByPath?.ids ?? []) await issuers!.add(id);
  } catch (error) {
    await server.close();
    throw error;
  }
  return {
    ...{ server, app: app!, openTools, inspectorEnabled, faultsEnabled, control, log, metrics, healthCheck },
    ...{ storedEntries, warn, check, recorder: ofApp.recorder, vary: ofApp.vary },
  };
}

/** What the plugins of an issuer depend on, besides the configuration. */
interface AppTools extends Pick<ProgramServer, "openTools" | "inspectorEnabled" | "faultsEnabled"> {
  /** The settings, with the default user first. */
  readonly settings: Settings;
  readonly readRules: ReadRules | undefined;
  /** The check of the clients of the first issuer. Default: none. */
  readonly check?: ClientCheck;
}

/** The plugins of one issuer, the outermost first. */
async function openAppPlugins(config: RunConfiguration, tools: AppTools) {
  const { openTools, inspectorEnabled, faultsEnabled, readRules, check } = tools;
  const flows = openInspector(config, inspectorEnabled, readRules);
  const control = config.control ? await openControl(config, flows.recorder) : undefined;
  const varied =
    control === undefined && config.resolved.policy.pluginProfiles.some((profile) => profile.startsWith("vary:"))
      ? (await import("../testing/vary/vary.ts")).varyControl()
      : undefined;
  let app: App | undefined;
  const plugins: readonly Plugin[] = [
    flows,
    ...check === undefined ? [] : [checkPages(check)],
    ...control === undefined ? [] : control.plugins,
    ...faultsEnabled ? [faultPages({ recorder: flows.recorder, control: control?.control })] : [],
    ...control === undefined && openTools && config.resolved.policy.login !== "interactive" ? [personas()] : [],
    ...varied === undefined ? [] : [varied.plugin],
    ...config.requestMappings === undefined ? [] : openRequestMappings(config.requestMappings, flows.recorder),
    {
      // The program reports what the recorder has when it ends.
      profiles: ["next-2026.11"],
    },
    {
      setup(assembled) {
        app = assembled;
        Object.assign(app.disabledPages, disabledPages);
      },
    },
  ];
  return {
    plugins,
    getApp: () => app!,
    control,
    recorder: flows.recorder,
    vary: control?.control.vary ?? varied?.handle,
  };
}

/** Completes an issuer: its signing key, the users of its mappings, its default user, and its scenarios. */
async function startApp(
  { requestMappings, user, signingKey }: RunConfiguration,
  { users }: Pick<Latchkey, "users">,
  { server }: App,
  control: ProgramControl | undefined,
): Promise<void> {
  if (signingKey !== undefined) await importSigningKey(server, signingKey);
  if (requestMappings !== undefined) {
    for (const named of usersOfMappings(requestMappings)) {
      if (await users.find(named.sub) === undefined) await users.set(named);
    }
  }
  await chooseDefaultUser(users, user);
  await control?.start();
}

/**
 * Makes a key the first that signs. Its `kid` is the last segment of the issuer, as in mock-oauth2-server, or its own
 * for an issuer without a path.
 */
async function importSigningKey(server: HostedServer, { kid, alg: _, ...key }: PrivateJwk): Promise<void> {
  const id = new URL(server.issuer).pathname.split("/").at(-1) || kid || "default";
  const published = await server.keys.publishedKeys([server.settings.alg]);
  if (published.some((other) => other.kid === id)) return;
  const { importKey } = await import("../testing/import_key.ts");
  try {
    await importKey(server, { ...key, kid: id });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ConfigurationError([{
      path: "tokenProvider.keyProvider.initialKeys",
      expected: `a private key for ${server.settings.alg}`,
      received: `a JWK with kty ${quote(key.kty)}`,
      hint: "Set tokenProvider.keyProvider.algorithm to the algorithm of the key, or remove initialKeys.",
    }]);
  }
}

/** The issuers at paths: each has the settings and the plugins of the first one, and mappings of its own. */
function openIssuersByPath(
  config: RunConfiguration,
  { find }: IssuersByPathConfig,
  tools: AppTools,
  healthCheck: Plugin,
): IssuersByPath {
  const { issuer, lifetimes, ...others } = tools.settings;
  return issuersByPath(async (id) => {
    const { requestMappings, tokenExpiry: seconds } = find(id);
    const { plugins, getApp, control } = await openAppPlugins({ ...config, requestMappings }, tools);
    return {
      settings: {
        ...others,
        ...issuer === fromHost && { issuer },
        lifetimes: { ...lifetimes, ...seconds !== undefined && { access_token: seconds, id_token: seconds } },
      },
      plugins: [healthCheck, ...plugins],
      // With the users of all mappings, so that each issuer has the default user.
      start: (app) => startApp(config, app, getApp(), control),
    };
  });
}

function openInspector(
  { insecureAllowInspector, insecureExportSecrets, control, requestMappings }: RunConfiguration,
  recordsRequests: boolean,
  readRules: ReadRules | undefined,
): Plugin & { readonly recorder?: Recorder } {
  if (!recordsRequests) return inspector({ requests: false, readRules });
  // Programs and mappings read the record of every request.
  const maxFlowsPerSecond = control || requestMappings !== undefined ? Infinity : undefined;
  return inspector({ insecureAllow: insecureAllowInspector, insecureExportSecrets, maxFlowsPerSecond, readRules });
}

async function openControl(
  { controlSecret: secret, scenarios = [] }: RunConfiguration,
  recorder: Recorder | undefined,
): Promise<ProgramControl> {
  const { programControl, runScenarios } = await import("../testing/control/program_control.ts");
  if (scenarios.length === 0) return programControl({ secret, recorder });
  return programControl({ secret, recorder, scenarios: (control) => runScenarios(control, scenarios) });
}

/** Claims by parameters of token requests, which the recorder reads. */
function openRequestMappings(
  mappings: readonly RequestMapping[],
  inspected: Recorder | undefined,
): Plugin[] {
  if (inspected !== undefined) return [requestMappings(mappings, inspected)];
  const ownRecorder = recorder();
  return [ownRecorder, requestMappings(mappings, ownRecorder)];
}

async function openMcpServer(path: string): Promise<Plugin> {
  const { mcpServer } = await import("../resource/mcp_server.ts");
  return mcpServer(path);
}

/** A sentence that lists what any machine that can reach the started program may do; see {@link describeExposure}. */
export function describeProgramExposure(
  { server, app, openTools, inspectorEnabled, faultsEnabled, control }: ProgramServer,
  { host, controlSecret }: { readonly host: string; readonly controlSecret?: string },
): string | undefined {
  return describeExposure({
    ...{ issuer: server.issuer, host, settings: app.server.settings },
    inspector: inspectorEnabled ? openTools ? "on" : "insecure" : "off",
    faults: faultsEnabled ? "on" : "off",
    control: control === undefined ? "off" : controlSecret === undefined ? "open" : "secret",
  });
}
