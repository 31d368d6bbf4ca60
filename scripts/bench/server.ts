/** The server's side of the bench: `server.ts SETUP`, a JSON of {@link Setup}; prints a JSON of {@link Target}. */

import type { Layer, SigningAlgorithm, Store } from "../../src/mod.ts";
import { clients } from "./clients.ts";
import type { Fill } from "./fill.ts";
import type { PeerName } from "./peers/packages.ts";
import { latchkeySite } from "./site.ts";
import type { Load, Site } from "./site.ts";

/** What is served. */
export interface Setup {
  readonly which: "reference" | "webcrypto" | "latchkey" | PeerName;
  readonly alg: SigningAlgorithm;
  /** Seconds. */
  readonly codeLifetime?: number;
  /** Where records are kept: a URL, or `sqlite:PATH`. Default: in memory. */
  readonly store?: string;
  /** What a database server keeps them under. */
  readonly namespace?: string;
  /** Default: it follows the port. */
  readonly issuer?: string;
  /** Whether what a team lays around its server is there. */
  readonly layered?: boolean;
  /** What is there before the first request. */
  readonly fill?: Fill;
}

/** Where it is. */
export interface Target {
  readonly port: number;
  readonly site: Site;
}

const { Deno: deno } = globalThis as { Deno?: { args: string[] } };
const setup: Setup = JSON.parse(deno?.args[0] ?? process.argv[2]!);
console.log(JSON.stringify(await serve()));

async function serve(): Promise<Target> {
  switch (setup.which) {
    case "reference":
      return await (await import("./reference.ts")).listen(setup.alg, "quickest");
    case "webcrypto":
      return await (await import("./reference.ts")).listen(setup.alg, "webcrypto");
    case "latchkey":
      return await latchkeyItself(setup);
    case "oidc-provider":
      return await peer((await import("./peers/oidc_provider.ts")).load);
    case "oauth2-mock-server":
      return await peer((await import("./peers/oauth2_mock_server.ts")).load);
  }
}

async function latchkeyItself({ alg, codeLifetime = 300, store, namespace, issuer, layered, fill }: Setup) {
  const { latchkey } = await import("../../src/mod.ts");
  const { filled } = fill === undefined ? {} : await import("./fill.ts");
  const as = await latchkey({
    clients,
    alg,
    lifetimes: { code: codeLifetime },
    store: await openStore(store, namespace),
    layers: layered ? await teamLayers() : [],
    ...issuer && { issuer },
    ...await filled?.(fill!),
  });
  const { url } = await as.listen({ port: 0, host: "127.0.0.1" });
  return { port: Number(new URL(url).port), site: latchkeySite(as.issuer) };
}

async function peer(load: Load): Promise<Target> {
  const { start } = await load(setup.alg);
  const { port, site } = await start();
  return { port: port!, site };
}

async function openStore(place: string | undefined, namespace: string | undefined): Promise<Store | undefined> {
  if (place === undefined) return undefined;
  if (place.startsWith("sqlite:")) {
    return await (await import("../../src/store/sql/sqlite.ts")).sqliteStore(place.slice("sqlite:".length));
  }
  if (place.startsWith("postgres")) {
    return await (await import("../../src/store/sql/postgres.ts")).postgresStore(place, { schema: namespace });
  }
  return await (await import("../../src/store/redis.ts")).redisStore(place, { prefix: namespace });
}

/** What the program lays around a server of a team, where the inspector is off. */
async function teamLayers(): Promise<Layer[]> {
  const { limitLoad } = await import("../../src/operating/overload.ts");
  const { metrics } = await import("../../src/operating/metrics.ts");
  const { health } = await import("../../src/operating/health.ts");
  return [limitLoad(), metrics(), health()];
}
