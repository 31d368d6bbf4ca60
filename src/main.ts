/** The front door for operators: flags, environment and file become options, options become a listening server. */

import manifest from "../deno.json" with { type: "json" };
import { greeting } from "./config/greeting.ts";
import { narrate } from "./config/narration.ts";
import type { StoreChoice } from "./config/operator.ts";
import { printable } from "./config/show.ts";
import { readConfiguration } from "./config/read.ts";
import { latchkey } from "./latchkey.ts";
import { hasTestHost, settle } from "./oauth/settings.ts";
import { ConfigurationError } from "./oauth/settings_error.ts";
import { settingsFaults } from "./oauth/settings_faults.ts";
import { machine } from "./runtime/machine.ts";
import type { Machine } from "./runtime/machine.ts";
import { ListenError } from "./runtime/serve.ts";
import { StoreError } from "./store/store_error.ts";
import type { Store } from "./store/store.ts";

const host = await machine();
try {
  await main(host);
} catch (error) {
  const foreseen = error instanceof ConfigurationError || error instanceof ListenError || error instanceof StoreError;
  console.error(foreseen ? error.message.split("\n").map(printable).join("\n") : error);
  host.exit(1);
}

async function main({ args, env, isTerminal, unfit, readTextFile, onStop, exit }: Machine): Promise<void> {
  if (unfit !== undefined) {
    console.error(unfit);
    exit(1);
  }
  const wanted = await readConfiguration({ args, env, readTextFile }, settingsFaults);
  if (wanted.kind === "help") return console.log(wanted.text.trimEnd());
  if (wanted.kind === "version") return console.log(`latchkey ${manifest.version}`);

  const { settings, port } = wanted;
  const as = await latchkey({
    ...settings,
    store: await openStore(wanted.store),
    trace(event) {
      const line = narrate(event, isTerminal);
      if (line !== undefined) console.error(line);
    },
  });
  let url: string;
  try {
    ({ url } = await as.listen({ port, host: wanted.host }));
  } catch (error) {
    await as.close();
    throw error;
  }

  let stopping = false;
  onStop(() => {
    // A second signal means now.
    if (stopping) exit(1);
    stopping = true;
    console.log("Stopping: requests in flight are answered first.");
    as.close().then(() => exit(0), (error) => {
      console.error(error);
      exit(1);
    });
  });

  const document = `${as.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const metadata = await (await as.fetch(new Request(document))).json();
  console.log(greeting({
    version: manifest.version,
    issuer: as.issuer,
    url,
    settled: settle(settings, as.issuer),
    host: wanted.host,
    discovery: document,
    showSecrets: hasTestHost(as.issuer),
    store: wanted.store.kind === "memory" ? "memory, gone when it stops" : wanted.store.path,
    endpoints: Object.entries(metadata).filter((pair): pair is [string, string] =>
      /_endpoint$|^jwks_uri$/.test(pair[0])
    ),
  }));
}

async function openStore(choice: StoreChoice): Promise<Store | undefined> {
  if (choice.kind === "memory") return undefined;
  const { sqliteStore } = await import("./store/sqlite.ts");
  return await sqliteStore(choice.path, choice);
}
