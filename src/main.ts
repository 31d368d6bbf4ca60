/** The front door for operators: flags, environment and file become options, options become a listening server. */

import { licencesText, version, versionLine } from "./cli/about.ts";
import { greeting, insecurities, openness } from "./cli/banner.ts";
import type { StoredChanges } from "./cli/banner.ts";
import type { StoreChoice } from "./cli/option_definitions.ts";
import { printable } from "./cli/show.ts";
import { readConfiguration } from "./cli/read_config.ts";
import type { Layer } from "./app/plugin.ts";
import type { Incoming } from "./http/message.ts";
import type { Handle } from "./http/router.ts";
import { latchkey, optionFaults } from "./server/latchkey.ts";
import type { Trace } from "./oauth/trace.ts";
import { demoSecret, hasTestHost, settle } from "./oauth/config/settings.ts";
import { ConfigurationError } from "./oauth/config/configuration_error.ts";
import { health } from "./operating/health.ts";
import { logging } from "./operating/logging.ts";
import type { Metrics } from "./operating/metrics.ts";
import { narrate } from "./operating/format_event.ts";
import { limitLoad } from "./operating/overload.ts";
import { machine } from "./runtime/process_environment.ts";
import type { Machine } from "./runtime/process_environment.ts";
import { ListenError, serve } from "./runtime/serve.ts";
import { StoreError } from "./store/store_error.ts";
import type { Store } from "./store/store.ts";

// Not waited for here: a program in one file for Node is a script, which cannot.
start();

async function start(): Promise<void> {
  const host = await machine();
  try {
    await main(host);
  } catch (error) {
    const foreseen = error instanceof ConfigurationError || error instanceof ListenError || error instanceof StoreError;
    console.error(foreseen ? error.message.split("\n").map(printable).join("\n") : error);
    host.exit(1);
  }
}

async function main({ args, env, isTerminal, now, unfit, readTextFile, onStop, exit }: Machine): Promise<void> {
  if (unfit !== undefined) {
    console.error(unfit);
    exit(1);
  }
  const wanted = await readConfiguration({ args, env, readTextFile }, optionFaults);
  if (wanted.kind === "help") return console.log(wanted.text.trimEnd());
  if (wanted.kind === "version") return console.log(versionLine);
  if (wanted.kind === "licenses") return console.log(licencesText);
  if (wanted.kind === "schema") return console.log(await schemaText());
  if (wanted.kind === "hash-password") return console.log(await hashPassword());

  const { settings, drain } = wanted;
  const isTest = settings.issuer === undefined || hasTestHost(settings.issuer);
  const inspected = wanted.inspector ?? isTest;
  const log = wanted.log === "off"
    ? undefined
    : logging({ write: (line) => console.error(line), format: wanted.log, everything: isTerminal });
  const counted = wanted.metrics && (await import("./operating/metrics.ts")).metrics();
  const state = health();
  const stored: { [of in StoredChanges["of"]]?: StoredChanges } = {};
  const trace: Trace = (event) => {
    if (event.type === "stored_changes") stored[event.of] = event;
    log?.trace(event);
    counted?.trace(event);
    // Printed even without a log: nothing else reports that a misspelt setting has no effect.
    if (log === undefined && event.type === "configuration_warning") console.error(narrate(event, false));
  };
  for (const warning of wanted.warnings) trace({ type: "configuration_warning", at: now(), ...warning });
  let ask: Handle | undefined;
  const as = await latchkey({
    ...settings,
    // The first is the outermost.
    layers: [
      limitLoad({ inFlight: wanted.maxInFlight }),
      ...log === undefined ? [] : [log],
      ...counted === undefined ? [] : [counted],
      state,
      ...inspected ? [await openInspector(wanted.insecureAllowInspector)] : [],
      { open: (desk) => void (ask = desk.ask) },
    ],
    store: await openStore(
      wanted.store,
      (message) => trace({ type: "configuration_warning", at: now(), path: "store", message }),
    ),
    trace,
  });
  let url: string;
  let scraped: { readonly url: string; close(): Promise<void> } | undefined;
  try {
    scraped = counted && await serveMetrics(counted, wanted.metrics!);
    ({ url } = await as.listen({ port: wanted.port, host: wanted.host, tls: wanted.tls }));
  } catch (error) {
    await Promise.all([as.close(), scraped?.close()]);
    throw error;
  }

  let stopping = false;
  onStop(() => {
    // A second signal means now.
    if (stopping) exit(1);
    stopping = true;
    state.drain();
    if (wanted.log === "json") log?.announce("stopping", { drain });
    else if (drain === 0) console.log("Stopping: requests in flight are answered first.");
    else console.log(`Stopping in ${drain} seconds: /readyz says so, and until then requests are answered as before.`);
    setTimeout(() => {
      Promise.all([as.close(), scraped?.close()]).then(() => exit(0), (error) => {
        console.error(error);
        exit(1);
      });
    }, drain * 1000);
  });

  const settled = settle(settings, as.issuer);
  const inspector = inspected ? isTest ? "on" : "insecure" : "off";
  const store = placeOf(wanted.store);
  const facts = { version, issuer: as.issuer, url, store, inspector, metrics: scraped?.url } as const;
  if (wanted.log === "json") {
    const open = openness({ ...facts, host: wanted.host, settled });
    return log?.announce("listening", { ...facts, insecure: insecurities(settled, inspector), open });
  }
  const document = `${as.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const metadata = JSON.parse(String((await ask!(questionFor(document))).body));
  console.log(greeting({
    ...facts,
    settled,
    stored,
    host: wanted.host,
    discovery: document,
    demoSecret: settings.clients === undefined ? demoSecret : undefined,
    endpoints: Object.entries(metadata).filter((pair): pair is [string, string] =>
      /_endpoint$|^jwks_uri$/.test(pair[0])
    ),
  }));
}

/** Asks without a Request: the first one of a process is slow to make. */
function questionFor(url: string): Incoming {
  return {
    method: "GET",
    url,
    headers: { get: () => null },
    body: null,
    bodyUsed: false,
    bytes: () => Promise.resolve(new Uint8Array()),
  };
}

/** A listener of its own, so that whoever reaches the server does not reach the metrics. */
async function serveMetrics(
  counted: Metrics,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const bound = await serve((request) => counted.answer(request), { host, port });
  return { url: `http://${host.includes(":") ? `[${host}]` : host}:${bound.port}/metrics`, close: () => bound.close() };
}

async function openInspector(insecureAllow: boolean): Promise<Layer> {
  const { inspector } = await import("./inspector/mod.ts");
  return inspector({ insecureAllow });
}

/** What scripts/schema.ts has written, as it wrote it, but for the final newline. */
async function schemaText(): Promise<string> {
  const { default: schema } = await import("../static/config.schema.json", { with: { type: "json" } });
  return JSON.stringify(schema, null, 2);
}

/** Where records are kept, for a person. */
function placeOf(choice: StoreChoice): string {
  if (choice.kind === "memory") return "memory, gone when it stops";
  return choice.kind === "sqlite" ? choice.path : choice.place;
}

async function openStore(choice: StoreChoice, warn: (message: string) => void): Promise<Store | undefined> {
  if (choice.kind === "memory") return undefined;
  if (choice.kind === "sqlite") {
    const { sqliteStore } = await import("./store/sql/sqlite.ts");
    return await sqliteStore(choice.path, { ...choice, warn });
  }
  if (choice.kind === "postgres") {
    const { postgresStore } = await import("./store/sql/postgres.ts");
    return await postgresStore(choice.url, choice.options);
  }
  const { redisStore } = await import("./store/redis.ts");
  return await redisStore(choice.url, choice.options);
}

/** The digest of a password that is asked for, twice where a person types it unseen. */
async function hashPassword(): Promise<string> {
  const [{ readSecret }, { deriveKey, drawSalt }, { passwordCost, passwordLimit, writePasswordDigest }] = await Promise
    .all([
      import("./runtime/secret_input.ts"),
      import("./runtime/scrypt.ts"),
      import("./oauth/users/password.ts"),
    ]);
  const { password, again } = await readSecret("Password: ", "The same again: ");
  const fault = (expected: string, found: string, mend: string) =>
    new ConfigurationError([{ place: "password", expected, found, mend }]);
  if (password !== again) throw fault("the same password twice", "two different ones", "Run the command again.");
  const size = new TextEncoder().encode(password).length;
  if (size === 0) throw fault("a password", "nothing", "Type one, or pipe it in: latchkey hash-password < FILE.");
  if (size > passwordLimit) throw fault(`at most ${passwordLimit} bytes`, `${size}`, "Choose a shorter one.");
  const salt = drawSalt(passwordCost.salt);
  const hash = await deriveKey(password, { ...passwordCost, salt }, passwordCost.hash);
  return writePasswordDigest({ ...passwordCost, salt, hash });
}
