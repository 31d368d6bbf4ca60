/** The command-line program: reads the configuration, starts the server and prints the banner. */

import { formatLicences, formatVersion, rulesReader, version } from "./cli/about.ts";
import { type CommandName, formerCommands, startNames } from "./cli/commands.ts";
import { banner, firstPage, insecureParts } from "./cli/banner.ts";
import { describeExposure } from "./cli/exposure.ts";
import type { InitActions } from "./cli/init.ts";
import type { ClientSnippet } from "./devtools/connect/pages/client_snippets.tsx";
import { demoKey, demoSecret } from "./server/config/demo_entries.ts";
import type { Settings } from "./server/config/settings.ts";
import { CommandLineError } from "./cli/command_line_error.ts";
import { ConfigurationError } from "./core/rules/configuration_error.ts";
import { printable } from "./core/http/quote_value.ts";
import { openServer, type ProgramServer, type RunConfiguration } from "./cli/open_server.ts";
import { readConfiguration } from "./cli/read_config.ts";
import type { App } from "./server/app.ts";
import { latchkey } from "./server/hosting/latchkey.ts";
import type { Metrics } from "./cli/operating/metrics.ts";
import { processEnvironment } from "./platform/runtime/current_process.ts";
import type { ProcessEnvironment } from "./platform/runtime/process_environment.ts";
import type { Terminal } from "./platform/runtime/terminal.ts";
import { ListenError, serve } from "./platform/runtime/serve.ts";
import { StoreError } from "./core/store/store.ts";
import { printText, terminalText } from "./cli/terminal_text.ts";
import { programShortcuts, runShortcut } from "./cli/shortcuts.ts";
import { randomToken } from "./core/keys/secrets.ts";
import { endpointUrl } from "./core/http/endpoint.ts";
import { systemRandomBytes } from "./platform/runtime/random_bytes.ts";

async function start(): Promise<void> {
  const environment = await processEnvironment();
  try {
    await main(environment);
  } catch (error) {
    const isExpected = [CommandLineError, ConfigurationError, ListenError, StoreError].some((type) =>
      error instanceof type
    );
    if (!isExpected) console.error(error);
    else {
      const text = (error as Error).message.split("\n").map(printable).join("\n");
      console.error(terminalText(text, environment, environment.isTerminal ? environment.terminalWidth() : undefined));
    }
    environment.exit(1);
  }
}

async function main(environment: ProcessEnvironment): Promise<void> {
  const { args, unsupported, exit } = environment;
  if (unsupported !== undefined) {
    console.error(unsupported);
    exit(1);
  }
  const words = args[0] === "--" ? args.slice(1) : args;
  const [word = "", ...rest] = words;
  if (Object.hasOwn(commands, word)) {
    const code = await commands[word as CommandName](rest, environment);
    // Without a code, the process ends when its output is written.
    return code === undefined ? undefined : exit(code);
  }
  if (Object.hasOwn(formerCommands, word)) {
    const issue = { path: "command line", expected: "a command", received: `${word}, which has another name now` };
    throw new CommandLineError([{ ...issue, hint: `Write ${formerCommands[word]}.` }]);
  }
  return await startServer(startNames.includes(word) ? rest : words, environment);
}

/** The commands; without one, the server starts. Each may return an exit code. */
const commands: {
  readonly [Name in CommandName]: (args: readonly string[], environment: ProcessEnvironment) => Promise<number | void>;
} = {
  async init(args, environment) {
    const from = args.some((word) => /^--from(?:=|$)/.test(word));
    if (!from) return await (await import("./cli/init.ts")).initialize(args, environment, await initActions());
    return await (await import("./cli/realm/import_realm.ts")).importRealm(args, environment, await initActions());
  },
  async exec(args, environment) {
    const { execute } = await import("./cli/exec/execute.ts");
    return await execute(args, environment, rulesReader(environment, import.meta.url));
  },
  async check(args, environment) {
    const { checkApplication } = await import("./cli/check/check_application.ts");
    return await checkApplication(args, environment, rulesReader(environment, import.meta.url));
  },
  async explain(args, environment) {
    const { explain } = await import("./cli/explain.ts");
    const { hasTerminalInput, readInput } = await import("./platform/runtime/tools.ts");
    const isPiped = args[0] === "-" || args.length === 0 && !hasTerminalInput();
    const words = isPiped ? [await readInput()] : args;
    printText(await explain(words, environment, rulesReader(environment, import.meta.url), fetch), environment);
  },
  async mcp(args, environment) {
    const { serveTools } = await import("./cli/mcp/serve_tools.ts");
    return await serveTools(args, environment, rulesReader(environment, import.meta.url));
  },
  async health(args, environment) {
    const { checkHealth } = await import("./cli/check_health.ts");
    const { requestStatus } = await import("./platform/runtime/request_status.ts");
    return await checkHealth({ ...environment, args }, requestStatus);
  },
  async "hash-password"(args, environment) {
    if (args.includes("--help")) return await startServer(["--help"], environment);
    console.log(await (await import("./cli/hash_password.ts")).hashPassword(args));
  },
};

/** Starts the server, or prints what a flag asks for. */
async function startServer(args: readonly string[], environment: ProcessEnvironment): Promise<void> {
  const { env, isTerminal, readTextFile } = environment;
  const config = await readConfiguration({ args, env, readTextFile });
  if (config.kind === "help") return printText(config.text, environment);
  if (config.kind === "version") return console.log(formatVersion());
  if (config.kind === "licenses") return console.log(formatLicences());
  if (config.kind === "schema") return console.log(await schemaText());

  const opened = await openServer(config, environment, rulesReader(environment, import.meta.url));
  const started = { ...opened, config, ...await listen(opened, config) };
  const stop = stopper(started, environment);
  environment.onStop(stop);
  if (config.log === "json") return logStart(started);
  const terminal = isTerminal && config.log === "text" && !env.CI ? await environment.openTerminal() : undefined;
  console.log(await startBanner(started, environment, terminal !== undefined));
  if (environment.mainModule.endsWith(".ts")) setTimeout(() => loadPackages(opened), packagesDelayMs);
  if (terminal !== undefined) offerShortcuts(started, terminal, stop);
}

/** The addresses of a server that listens, and the server of its metrics. */
interface Listening {
  readonly url: string;
  readonly metricsServer?: { readonly url: string; close(): Promise<void> };
}

/** A server that listens, with its configuration. */
type StartedServer = ProgramServer & Listening & { readonly config: RunConfiguration };

async function listen({ server, metrics }: ProgramServer, config: RunConfiguration): Promise<Listening> {
  let metricsServer: Listening["metricsServer"];
  try {
    metricsServer = metrics && await serveMetrics(metrics, config.metrics!);
    const { url } = await server.listen({ port: config.port, host: config.host, tls: config.tls });
    return { url, metricsServer };
  } catch (error) {
    await Promise.all([server.close(), metricsServer?.close()]);
    throw error;
  }
}

/** Returns the function that stops the server, and at the second call the process. */
function stopper(started: StartedServer, { exit }: ProcessEnvironment): () => void {
  const { server, metricsServer, healthCheck, log, config: { log: format, drain } } = started;
  let stopping = false;
  return () => {
    if (stopping) exit(1);
    stopping = true;
    healthCheck?.drain();
    if (format === "json") log?.logEvent("stopping", { drain });
    else if (drain === 0) console.log("Stopping: requests in flight are completed first.");
    else console.log(`Stopping in ${drain} seconds: until then requests are served as before, and /readyz reports it.`);
    setTimeout(() => {
      Promise.all([server.close(), metricsServer?.close(), printReadiness(started)]).then(() => exit(0), (error) => {
        console.error(error);
        exit(1);
      });
    }, drain * 1000);
  };
}

/** The facts about a start that log and banner show. */
function startDetails({ config, url, metricsServer, exposed }: StartedServer) {
  const { issuer, inspector, faults, control } = exposed();
  const store = config.store.displayLocation;
  return { version, issuer, url, store, inspector, faults, control, metrics: metricsServer?.url };
}

function logStart(started: StartedServer): void {
  const { app, log, config, exposed } = started;
  const settings = { ...app.server.settings, ...app.initialEntries() };
  log?.logEvent("listening", {
    ...startDetails(started),
    config: config.configSource?.name,
    insecure: insecureParts(settings, exposed().inspector),
    open: describeExposure(exposed()),
  });
}

async function startBanner(
  started: StartedServer,
  { env, isOutputTerminal, terminalWidth }: ProcessEnvironment,
  hasShortcuts: boolean,
): Promise<string> {
  const { server, app, config, storedEntries } = started;
  const { configSource, host, issuersByPath, resolved: { hasDemoClients } } = config;
  const settings = { ...app.server.settings, ...app.initialEntries() };
  const documents = app.endpoints.filter(({ name }) => name === "discovery").map(({ path }) =>
    new URL(server.issuer).origin + path
  );
  return banner({
    ...startDetails(started),
    ...{ configSource, settings, storedEntries, host, hasShortcuts },
    startMs: performance.now(),
    defaultUser: (await server.users.list({ limit: 1 }))[0]?.sub,
    discovery: documents.find((document) => document.endsWith("/openid-configuration")) ?? documents[0],
    demoSecret: hasDemoClients ? demoSecret : undefined,
    demoKey: hasDemoClients && settings.clients.some(({ jwks }) => jwks !== undefined) ? demoKey : undefined,
    certificateOrigin: app.server.certificateListener?.origin,
    resources: app.server.resources.hosted.map(({ identifier }) => identifier),
    issuers: issuersByPath?.ids.map((id) => `${server.issuer}/${id}`),
    width: isOutputTerminal ? terminalWidth() : undefined,
    colors: isOutputTerminal && !env.NO_COLOR,
  });
}

/** Runs the commands that the banner names, when their lines are read. */
function offerShortcuts({ server, app }: StartedServer, terminal: Terminal, stop: () => void): void {
  const settings = { ...app.server.settings, ...app.initialEntries() };
  const users = settings.login === "auto" ? server.users : undefined;
  const shortcuts = programShortcuts({ terminal, page: firstPage(server.issuer, settings), users, stop });
  terminal.onLine(async (line) => {
    const text = await runShortcut(line, shortcuts);
    if (text !== undefined) console.log(text);
  });
}

/** Milliseconds after the start until the packages are loaded, so that they do not delay the first login. */
const packagesDelayMs = 1_000;

/** From source, Deno downloads a package when it is first loaded: after the start, not in a login. */
async function loadPackages({ warn }: ProgramServer): Promise<void> {
  try {
    await Promise.all([import("./core/pages/render_page.ts"), import("./core/keys/verify_jwt.ts")]);
  } catch (error) {
    const message = `The pages do not work, because their packages cannot be loaded: ${(error as Error).message} ` +
      "Start once with a network.";
    warn({ path: "pages", message });
  }
}

/** With the profile `next-2026.11:warn`: which rules of drafts the clients meet. */
async function printReadiness({ server, app, recorder }: ProgramServer): Promise<void> {
  const { pluginProfiles } = app.server.settings;
  if (recorder === undefined || !pluginProfiles.includes("next-2026.11:warn")) return;
  const { readReadiness } = await import("./testing/check_readiness.ts");
  const report = await readReadiness([{ issuer: server.issuer, exchanges: recorder.exchanges() }]);
  console.log(String(report).split("\n").map(printable).join("\n"));
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

/** What commands need that write a configuration. */
async function initActions(): Promise<InitActions> {
  const { ask, createPrivateFile, hasTerminalInput } = await import("./platform/runtime/tools.ts");
  const randomSecret = () => randomToken(systemRandomBytes);
  return { ...hasTerminalInput() && { ask }, createPrivateFile, randomSecret, describeClient };
}

/** The settings of a client for each library. */
async function describeClient(settings: Settings, clientId: string, secret = ""): Promise<ClientSnippet[]> {
  const { clientSnippets } = await import("./devtools/connect/client_snippets/mod.ts");
  let app: App | undefined;
  await using server = await latchkey({ ...settings, plugins: [{ setup: (assembled) => void (app = assembled) }] });
  const [authorize, token, userinfo] = ["authorize", "token", "userinfo"].map((name) =>
    endpointUrl({ app: app!, server: app!.server }, name)
  );
  const { issuer, clients } = server;
  const client = clients.known().get(clientId)!;
  return clientSnippets({ issuer, authorize: authorize!, token: token!, userinfo: userinfo! }, client, { secret });
}

/** The text of static/config.schema.json without the final newline. */
async function schemaText(): Promise<string> {
  const { default: schema } = await import("../static/config.schema.json", { with: { type: "json" } });
  return JSON.stringify(schema, null, 2);
}

// Not awaited: the single executable of Node is a script, which has no top-level await.
start();
