/** The command-line program: reads the configuration, starts the server and prints the banner. */

import { formatLicences, formatVersion, programCommand, rulesReader, version } from "./cli/about.ts";
import { banner, firstPage, insecureSettings } from "./cli/banner.ts";
import { chooseDefaultUser, withDefaultUser } from "./cli/default_user.ts";
import type { StoredEntries } from "./cli/banner.ts";
import { describeExposure, isThisMachineOnly } from "./cli/exposure.ts";
import type { InitActions } from "./cli/init.ts";
import type { ReadRules } from "./devtools/rules/rules_file.ts";
import type { ClientSnippet } from "./devtools/connect/pages/client_snippets.tsx";
import { demoSecret } from "./server/config/demo_entries.ts";
import type { Settings } from "./server/config/settings.ts";
import { ConfigurationError, type ConfigurationWarning, printable } from "./server/config/config_issue.ts";
import type { RequestMapping } from "./cli/mock_oauth2_config.ts";
import { type Configuration, readConfiguration } from "./cli/read_config.ts";
import { storeKinds } from "./cli/stores.ts";
import type { App } from "./server/assembly/context.ts";
import type { Plugin } from "./server/assembly/plugin.ts";
import type { ProgramControl } from "./testing/control/program_control.ts";
import type { Recorder } from "./recorder/recorder.ts";
import { latchkey } from "./server/assembly/latchkey.ts";
import { validateOptions } from "./server/assembly/options.ts";
import type { Trace } from "./server/oauth/trace.ts";
import { configuredIssuer } from "./server/config/issuer_urls.ts";
import { resolveSettings } from "./server/config/resolve_settings.ts";
import { extensions } from "./server/assembly/extensions.ts";
import { allowancesOf } from "./server/config/allowances.ts";
import { health } from "./cli/operating/health.ts";
import { logging } from "./cli/operating/logging.ts";
import type { Metrics } from "./cli/operating/metrics.ts";
import { formatEvent } from "./cli/operating/format_event.ts";
import { limitConcurrency } from "./cli/operating/limit_concurrency.ts";
import { processEnvironment } from "./platform/runtime/current_process.ts";
import type { ProcessEnvironment } from "./platform/runtime/process_environment.ts";
import type { ClientCheckHandle } from "./check/client_check.ts";
import { ListenError, serve } from "./platform/runtime/serve.ts";
import { StoreError } from "./platform/store/store_error.ts";

// Not awaited: the single executable of Node is a script, which has no top-level await.
start();

async function start(): Promise<void> {
  const environment = await processEnvironment();
  try {
    await main(environment);
  } catch (error) {
    const isExpected = error instanceof ConfigurationError || error instanceof ListenError ||
      error instanceof StoreError;
    console.error(isExpected ? error.message.split("\n").map(printable).join("\n") : error);
    environment.exit(1);
  }
}

async function main(
  environment: ProcessEnvironment,
): Promise<void> {
  const {
    args,
    env,
    isTerminal,
    isOutputTerminal,
    terminalWidth,
    now,
    unsupported,
    readTextFile,
    writeLogLine,
    onStop,
    exit,
  } = environment;
  if (unsupported !== undefined) {
    console.error(unsupported);
    exit(1);
  }
  const [command, ...commandArgs] = args[0] === "--" ? args.slice(1) : args;
  if (command === "check") {
    const { checkApplication } = await import("./cli/check/check_application.ts");
    exit(await checkApplication(commandArgs, environment, validateOptions, rulesReader(environment, import.meta.url)));
  }
  if (command === "health") {
    const { checkHealth } = await import("./cli/check_health.ts");
    const { requestStatus } = await import("./platform/runtime/request_status.ts");
    exit(await checkHealth({ args: commandArgs, env, readTextFile }, validateOptions, requestStatus));
  }
  if (command === "init") {
    const { initialize } = await import("./cli/init.ts");
    exit(await initialize(commandArgs, environment, await initActions()));
  }
  if (command === "faults") {
    return console.log(await (await import("./cli/check/list_faults.ts")).listFaults(commandArgs));
  }
  if (command === "explain") {
    const { explain } = await import("./cli/explain.ts");
    return console.log(await explain(commandArgs, environment, rulesReader(environment, import.meta.url)));
  }
  const config = await readConfiguration({ args, env, readTextFile }, validateOptions);
  if (config.kind === "help") return console.log(config.text.trimEnd());
  if (config.kind === "version") return console.log(formatVersion());
  if (config.kind === "licenses") return console.log(formatLicences());
  if (config.kind === "schema") return console.log(await schemaText());
  if (config.kind === "hash-password") {
    return console.log(await (await import("./cli/hash_password.ts")).hashPassword());
  }

  const { drain } = config;
  const settings = withDefaultUser(config.settings, config.user);
  const configured = configuredIssuer(settings);
  const openTools = configured === undefined || allowancesOf(configured).openTools;
  const inspectorEnabled = config.inspector ?? openTools;
  const reach = { issuer: configured, host: config.host, settings };
  const faultsEnabled = config.faults ?? (openTools && isThisMachineOnly(reach));
  const log = config.log === "off" ? undefined : logging({
    write: writeLogLine,
    format: config.log,
    verbose: true,
    terminal: isTerminal ? () => ({ colors: !env.NO_COLOR, width: terminalWidth(), localTime: true }) : undefined,
  });
  const metrics = config.metrics && (await import("./cli/operating/metrics.ts")).metrics();
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
  let app: App | undefined;
  const readRules = openTools ? rulesReader(environment, import.meta.url) : undefined;
  const inspector = await openInspector(config, inspectorEnabled, readRules);
  const checkPagesEnabled = faultsEnabled && inspectorEnabled;
  const check = openTools && (config.control || checkPagesEnabled)
    ? await openClientCheck(!isThisMachineOnly(reach), environment)
    : undefined;
  const control = config.control ? await openControl(config.controlSecret, inspector.recorder, check) : undefined;
  const server = await latchkey({
    ...settings,
    // The first plugin is the outermost.
    plugins: [
      limitConcurrency({ maxInFlight: config.maxInFlight }),
      ...check === undefined ? [] : [check.plugin],
      ...log === undefined ? [] : [log],
      ...metrics === undefined ? [] : [metrics],
      healthCheck,
      ...config.mcpServer === undefined ? [] : [await openMcpServer(config.mcpServer)],
      inspector,
      ...check === undefined || !checkPagesEnabled ? [] : [(await import("./check/check_pages.ts")).checkPages(check)],
      ...control === undefined ? [] : control.plugins,
      ...faultsEnabled ? [await openFaultPages(inspector.recorder, control)] : [],
      ...control === undefined && openTools && settings.login !== "interactive"
        ? [(await import("./testing/personas.ts")).personas()]
        : [],
      ...config.requestMappings === undefined
        ? []
        : await openRequestMappings(config.requestMappings, inspector.recorder),
      {
        setup: (assembled) => void (app = assembled),
        onEvent: receive,
        offPages: (await import("./testing/off_pages.ts")).offPages,
      },
    ],
    store: await storeKinds[config.store.kind]!.open(config.store, (message) => warn({ path: "store", message })),
  });
  await chooseDefaultUser(server.users, config.user).catch(async (error) => {
    await server.close();
    throw error;
  });
  let url: string;
  let metricsServer: { readonly url: string; close(): Promise<void> } | undefined;
  try {
    metricsServer = metrics && await serveMetrics(metrics, config.metrics!);
    ({ url } = await server.listen({ port: config.port, host: config.host, tls: config.tls }));
  } catch (error) {
    await Promise.all([server.close(), metricsServer?.close()]);
    throw error;
  }

  let stopping = false;
  const stop = () => {
    // A second signal stops immediately.
    if (stopping) exit(1);
    stopping = true;
    healthCheck.drain();
    if (config.log === "json") log?.logEvent("stopping", { drain });
    else if (drain === 0) console.log("Stopping: requests in flight are completed first.");
    else console.log(`Stopping in ${drain} seconds: until then requests are served as before, and /readyz reports it.`);
    setTimeout(() => {
      Promise.all([server.close(), metricsServer?.close()]).then(() => exit(0), (error) => {
        console.error(error);
        exit(1);
      });
    }, drain * 1000);
  };
  onStop(stop);

  const resolved = resolveSettings(settings, server.issuer, extensions);
  const inspectorState = inspectorEnabled ? openTools ? "on" : "insecure" : "off";
  const details = {
    version,
    issuer: server.issuer,
    url,
    store: config.store.displayLocation,
    inspector: inspectorState,
    faults: faultsEnabled ? "on" : "off",
    control: control === undefined ? "off" : config.controlSecret === undefined ? "open" : "secret",
    metrics: metricsServer?.url,
  } as const;
  if (config.log === "json") {
    const open = describeExposure({ ...details, host: config.host, settings: resolved });
    return log?.logEvent("listening", {
      ...details,
      insecure: insecureSettings(resolved, { inspector: inspectorState, exportsSecrets: config.insecureExportSecrets }),
      open,
    });
  }
  const documents = app!.endpoints.filter(({ name }) => name === "discovery").map(({ path }) =>
    new URL(server.issuer).origin + path
  );
  await import("./server/pages/packages.ts").catch((error) => {
    const message = `The pages do not work, because their packages cannot be loaded: ${(error as Error).message} ` +
      "Run deno cache src/main.ts once with a network.";
    warn({ path: "pages", message });
  });
  const terminal = isTerminal && config.log === "text" && !env.CI ? await environment.openTerminal?.() : undefined;
  console.log(banner({
    ...details,
    startMs: performance.now(),
    settings: resolved,
    storedEntries,
    defaultUser: (await server.users.first())?.sub,
    exportsSecrets: config.insecureExportSecrets,
    host: config.host,
    discovery: documents.find((document) => document.endsWith("/openid-configuration")) ?? documents[0],
    demoSecret: settings.clients === undefined ? demoSecret : undefined,
    demoKey: settings.clients === undefined && resolved.clients.some(({ jwks }) => jwks !== undefined)
      ? (await import("./server/config/demo_entries.ts")).demoKey
      : undefined,
    resources: app!.server.resources.hosted.map(({ identifier }) => identifier),
    hasShortcuts: terminal !== undefined,
    colors: isOutputTerminal && !env.NO_COLOR,
  }));
  if (terminal === undefined) return;
  const { programShortcuts, runShortcut } = await import("./cli/shortcuts.ts");
  const users = resolved.login === "auto" ? server.users : undefined;
  const shortcuts = programShortcuts({ terminal, page: firstPage(server.issuer, resolved), users, stop });
  terminal.onLine(async (line) => {
    const text = await runShortcut(line, shortcuts);
    if (text !== undefined) console.log(text);
  });
}

/** Serves the metrics on their own port, which clients of the server cannot reach. */
async function serveMetrics(
  metrics: Metrics,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const listener = await serve((request) => metrics.respond(request), { host, port });
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${listener.port}/metrics`,
    close: () => listener.close(),
  };
}

async function openInspector(
  { insecureAllowInspector, insecureExportSecrets, control, requestMappings }: Extract<Configuration, { kind: "run" }>,
  recordsRequests: boolean,
  readRules: ReadRules | undefined,
): Promise<Plugin & { readonly recorder?: Recorder }> {
  const { inspector } = await import("./devtools/inspector.ts");
  if (!recordsRequests) return inspector({ requests: false, readRules });
  // Programs and mappings read the record of every request.
  const maxFlowsPerSecond = control || requestMappings !== undefined ? Infinity : undefined;
  return inspector({ insecureAllow: insecureAllowInspector, insecureExportSecrets, maxFlowsPerSecond, readRules });
}

async function openClientCheck(exposed: boolean, environment: ProcessEnvironment): Promise<ClientCheckHandle> {
  const { clientCheck } = await import("./check/client_check.ts");
  return clientCheck({ exposed, program: programCommand(environment) });
}

async function openControl(
  secret: string | undefined,
  recorder: Recorder | undefined,
  clientCheck: ClientCheckHandle | undefined,
): Promise<ProgramControl> {
  const { programControl } = await import("./testing/control/program_control.ts");
  return programControl({ secret, recorder, clientCheck });
}

async function openFaultPages(recorder?: Recorder, control?: ProgramControl): Promise<Plugin> {
  const { faultPages } = await import("./testing/fault_pages/mod.ts");
  return faultPages({ recorder, control: control?.control });
}

/** Claims by parameters of token requests, which the recorder reads. */
async function openRequestMappings(
  mappings: readonly RequestMapping[],
  inspected: Recorder | undefined,
): Promise<Plugin[]> {
  const { requestMappings } = await import("./testing/request_mappings.ts");
  if (inspected !== undefined) return [requestMappings(mappings, inspected)];
  const { recorder } = await import("./recorder/recorder.ts");
  const ownRecorder = recorder();
  return [ownRecorder, requestMappings(mappings, ownRecorder)];
}

async function openMcpServer(path: string): Promise<Plugin> {
  const { mcpServer } = await import("./resource/mcp_server.ts");
  return mcpServer(path);
}

async function initActions(): Promise<InitActions> {
  const [{ ask, createPrivateFile, hasTerminalInput }, { systemRandomBytes }, { randomToken }] = await Promise.all([
    import("./platform/runtime/tools.ts"),
    import("./platform/runtime/crypto.ts"),
    import("./server/oauth/secrets.ts"),
  ]);
  return {
    ...hasTerminalInput() && { ask },
    createPrivateFile,
    randomSecret: () => randomToken(systemRandomBytes),
    describeClient,
  };
}

/** The settings of a client for each library. */
async function describeClient(settings: Settings, clientId: string, secret = ""): Promise<ClientSnippet[]> {
  const [{ clientSnippets }, { endpointUrl }] = await Promise.all([
    import("./devtools/connect/client_snippets/mod.ts"),
    import("./server/assembly/endpoint.ts"),
  ]);
  let app: App | undefined;
  await using server = await latchkey({ ...settings, plugins: [{ setup: (assembled) => void (app = assembled) }] });
  const [authorize, token] = ["authorize", "token"].map((name) =>
    endpointUrl({ app: app!, server: app!.server }, name)
  );
  const { issuer, clients } = server;
  const client = clients.findCached(clientId)!;
  return clientSnippets({ issuer, authorize: authorize!, token: token!, par: "" }, client, { secret, autoLogin: true });
}

/** The text of static/config.schema.json without the final newline. */
async function schemaText(): Promise<string> {
  const { default: schema } = await import("../static/config.schema.json", { with: { type: "json" } });
  return JSON.stringify(schema, null, 2);
}
