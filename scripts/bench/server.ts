/** The server's side of the bench: `server.ts SETUP`, a JSON of {@link Setup}; prints a JSON of {@link Target}. */

import type { Layer, SigningAlgorithm, Store } from "../../src/mod.ts";
import { clients } from "./clients.ts";

/** What is served. */
export interface Setup {
  readonly which: "latchkey" | "reference";
  readonly alg: string;
  /** Seconds. */
  readonly codeLifetime?: number;
  /** Where records are kept: a URL, or `sqlite:PATH`. Default: in memory. */
  readonly store?: string;
  /** What a database server keeps them under. */
  readonly namespace?: string;
  /** Default: it follows the port. */
  readonly issuer?: string;
  /** Whether all that may be laid around the server is. */
  readonly layered?: boolean;
}

/** Where it is. */
export interface Target {
  readonly port: number;
  readonly issuer: string;
}

const { Deno: deno } = globalThis as { Deno?: { args: string[] } };
const setup: Setup = JSON.parse(deno?.args[0] ?? process.argv[2]!);
console.log(JSON.stringify(await (setup.which === "latchkey" ? latchkeyItself(setup) : bareServer(setup))));

async function latchkeyItself({ alg, codeLifetime = 300, store, namespace, issuer, layered }: Setup): Promise<Target> {
  const { latchkey } = await import("../../src/mod.ts");
  const as = await latchkey({
    clients,
    alg: alg as SigningAlgorithm,
    lifetimes: { code: codeLifetime },
    store: await openStore(store, namespace),
    layers: layered ? await allLayers() : [],
    ...issuer && { issuer },
  });
  const { url } = await as.listen({ port: 0, host: "127.0.0.1" });
  return { port: Number(new URL(url).port), issuer: as.issuer };
}

async function openStore(place: string | undefined, namespace: string | undefined): Promise<Store | undefined> {
  if (place === undefined) return undefined;
  if (place.startsWith("sqlite:")) {
    return await (await import("../../src/store/sqlite.ts")).sqliteStore(place.slice("sqlite:".length));
  }
  if (place.startsWith("postgres")) {
    return await (await import("../../src/store/postgres.ts")).postgresStore(place, { schema: namespace });
  }
  return await (await import("../../src/store/redis.ts")).redisStore(place, { prefix: namespace });
}

async function allLayers(): Promise<Layer[]> {
  const { limitLoad } = await import("../../src/operating/overload.ts");
  const { metrics } = await import("../../src/operating/metrics.ts");
  const { inspector } = await import("../../src/inspector/mod.ts");
  return [limitLoad(), metrics(), inspector()];
}

async function bareServer({ alg }: Setup): Promise<Target> {
  const { listen } = await import("./reference.ts");
  return await listen(alg as SigningAlgorithm);
}
