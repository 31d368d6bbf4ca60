/** Starts the server of the program, prints the banner, and stops the server. */

import type { ReadRules } from "../devtools/rules/rules_file.ts";
import type { ProcessEnvironment } from "../platform/runtime/process_environment.ts";
import type { App } from "../server/app.ts";
import { demoKey, demoSecret } from "../server/config/demo_entries.ts";
import { formatLicences, formatVersion, version } from "./about.ts";
import { banner, insecureParts } from "./banner.ts";
import { describeExposure } from "./exposure.ts";
import { openServer, type ProgramServer, type RunConfiguration } from "./open_server.ts";
import { readConfiguration } from "./read_config.ts";
import { printText } from "./terminal_text.ts";

/** Starts the server, or prints what a flag asks for. */
export async function startServer(
  args: readonly string[],
  environment: ProcessEnvironment,
  readRules: ReadRules,
): Promise<void> {
  const { env, readTextFile } = environment;
  const config = await readConfiguration({ args, env, readTextFile });
  if (config.kind === "help") return printText(config.text, environment);
  if (config.kind === "version") return console.log(formatVersion());
  if (config.kind === "licenses") return console.log(formatLicences());
  if (config.kind === "schema") {
    const { default: schema } = await import("../../static/config.schema.json", { with: { type: "json" } });
    return console.log(JSON.stringify(schema, null, 2));
  }

  const opened = await openServer(config, environment, readRules);
  const started = { ...opened, config, ...await listen(opened, config) };
  environment.onStop(stopper(started, environment));
  if (config.log === "json") return logStart(started);
  console.log(await startBanner(started, environment));
}

/** The address of a server that listens. */
interface Listening {
  readonly url: string;
}

type StartedServer = ProgramServer & Listening & { readonly config: RunConfiguration };

async function listen({ server }: ProgramServer, config: RunConfiguration): Promise<Listening> {
  try {
    const { url } = await server.listen({ port: config.port, host: config.host, tls: config.tls });
    return { url };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** Returns the function that stops the server, and at the second call the process. */
function stopper(started: StartedServer, { exit }: ProcessEnvironment): () => void {
  const { server, healthCheck, log, config: { log: format, drain } } = started;
  let stopping = false;
  return () => {
    if (stopping) exit(1);
    stopping = true;
    healthCheck?.drain();
    if (format === "json") log?.logEvent("stopping", { drain });
    else if (drain === 0) console.log("Stopping: requests in flight are completed first.");
    else console.log(`Stopping in ${drain} seconds: until then requests are served as before, and /readyz reports it.`);
    setTimeout(() => {
      server.close().then(() => exit(0), (error) => {
        console.error(error);
        exit(1);
      });
    }, drain * 1000);
  };
}

/** The facts about a start that log and banner show. */
function startDetails({ config, url, exposed }: StartedServer) {
  const { issuer, inspector, faults, control } = exposed();
  const store = config.store.displayLocation;
  return { version, issuer, url, store, inspector, faults, control };
}

/** The policy with the entries that the server started with. */
function initialPolicy(app: App) {
  return { ...app.server.policy, ...app.initialEntries() };
}

function logStart(started: StartedServer): void {
  const { app, log, config, exposed } = started;
  const policy = initialPolicy(app);
  log?.logEvent("listening", {
    ...startDetails(started),
    config: config.configSource?.name,
    insecure: insecureParts(policy, exposed().inspector),
    open: describeExposure(exposed()),
  });
}

async function startBanner(
  started: StartedServer,
  { env, isOutputTerminal, terminalWidth }: ProcessEnvironment,
): Promise<string> {
  const { server, app, config, storedEntries } = started;
  const { configSource, host, issuersByPath, resolved: { hasDemoClients } } = config;
  const policy = initialPolicy(app);
  const kid = config.signingKey?.kid;
  const isSigning = kid !== undefined && (await app.server.keys.signer(app.server.policy.alg)).kid === kid;
  const documents = app.endpoints.filter(({ name }) => name === "discovery").map(({ path }) =>
    new URL(server.issuer).origin + path
  );
  return banner({
    ...startDetails(started),
    ...{ configSource, policy, storedEntries, host },
    startMs: performance.now(),
    signingKid: isSigning ? kid : undefined,
    defaultUser: (await server.users.list({ limit: 1 }))[0]?.sub,
    discovery: documents.find((document) => document.endsWith("/openid-configuration")) ?? documents[0],
    demoSecret: hasDemoClients ? demoSecret : undefined,
    demoKey: hasDemoClients && policy.clients.some(({ jwks }) => jwks !== undefined) ? demoKey : undefined,
    certificateOrigin: app.server.certificateListener?.origin,
    resources: app.server.resources.hosted.map(({ identifier }) => identifier),
    issuers: issuersByPath?.ids.map((id) => `${server.issuer}/${id}`),
    width: isOutputTerminal ? terminalWidth() : undefined,
    colors: isOutputTerminal && !env.NO_COLOR,
  });
}
