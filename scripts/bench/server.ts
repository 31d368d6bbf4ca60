/**
 * The server's side of the bench: `server.ts SETUP`, a JSON of {@link ServerSetup}; prints a JSON of
 * {@link ServerAddress}.
 */

import type { Plugin, SigningAlgorithm, Store } from "../../src/mod.ts";
import { clients } from "./clients.ts";
import type { StoreContents } from "./fill.ts";
import type { PeerName } from "./peers/packages.ts";
import { latchkeySite } from "./site.ts";
import type { Load, Site } from "./site.ts";

/** What is served. */
export interface ServerSetup {
  readonly subject: "reference" | "webcrypto" | "latchkey" | PeerName;
  readonly alg: SigningAlgorithm;
  /** Seconds. */
  readonly codeLifetime?: number;
  /** Where records are kept: a URL, or `sqlite:PATH`. Default: in memory. */
  readonly store?: string;
  /** What a database server keeps them under. */
  readonly namespace?: string;
  /** Default: it follows the port. */
  readonly issuer?: string;
  /** Whether the plugins of a team's server are loaded. */
  readonly withPlugins?: boolean;
  /** What is there before the first request. */
  readonly fill?: StoreContents;
}

/** Where it is. */
export interface ServerAddress {
  readonly port: number;
  readonly site: Site;
}

const { Deno: deno } = globalThis as { Deno?: { args: string[] } };
const setup: ServerSetup = JSON.parse(deno?.args[0] ?? process.argv[2]!);
console.log(JSON.stringify(await startSubject()));

async function startSubject(): Promise<ServerAddress> {
  switch (setup.subject) {
    case "reference":
      return await (await import("./reference.ts")).listen(setup.alg, "quickest");
    case "webcrypto":
      return await (await import("./reference.ts")).listen(setup.alg, "webcrypto");
    case "latchkey":
      return await startLatchkey(setup);
    case "oidc-provider":
      return await startPeer((await import("./peers/oidc_provider.ts")).load);
    case "oauth2-mock-server":
      return await startPeer((await import("./peers/oauth2_mock_server.ts")).load);
  }
}

async function startLatchkey({ alg, codeLifetime = 300, store, namespace, issuer, withPlugins, fill }: ServerSetup) {
  const { latchkey } = await import("../../src/mod.ts");
  const { filledOptions } = fill === undefined ? {} : await import("./fill.ts");
  const as = await latchkey({
    clients,
    alg,
    lifetimes: { code: codeLifetime },
    store: await openStore(store, namespace),
    plugins: withPlugins ? await teamPlugins() : [],
    ...issuer && { issuer },
    ...await filledOptions?.(fill!),
  });
  const { url } = await as.listen({ port: 0, host: "127.0.0.1" });
  return { port: Number(new URL(url).port), site: latchkeySite(as.issuer) };
}

async function startPeer(load: Load): Promise<ServerAddress> {
  const { start } = await load(setup.alg);
  const { port, site } = await start();
  return { port: port!, site };
}

async function openStore(url: string | undefined, namespace: string | undefined): Promise<Store | undefined> {
  if (url === undefined) return undefined;
  if (url.startsWith("sqlite:")) {
    return await (await import("../../src/platform/store/sql/sqlite.ts")).sqliteStore(url.slice("sqlite:".length));
  }
  if (url.startsWith("postgres")) {
    return await (await import("../../src/platform/store/sql/postgres.ts")).postgresStore(url, { schema: namespace });
  }
  return await (await import("../../src/platform/store/redis.ts")).redisStore(url, { prefix: namespace });
}

/** Plugins of a team's server, without the inspector. */
async function teamPlugins(): Promise<Plugin[]> {
  const { limitConcurrency } = await import("../../src/cli/operating/limit_concurrency.ts");
  const { metrics } = await import("../../src/cli/operating/metrics.ts");
  const { health } = await import("../../src/cli/operating/health.ts");
  return [limitConcurrency(), metrics(), health()];
}
