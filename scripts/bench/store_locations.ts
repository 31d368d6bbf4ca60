/** Stores of the bench: memory, a file, and the database servers named by the environment. */

/** A store to measure. */
export interface StoreLocation {
  readonly name: string;
  /** Setup of a server; absent: in memory. */
  readonly store?: string;
  readonly namespace?: string;
  /** Whether instances on other machines could share it. */
  readonly shared?: true;
  /** Removes the data. */
  clear?(): Promise<void>;
}

/** Finds the stores. On database servers each has a unique name. */
export async function findStoreLocations(): Promise<StoreLocation[]> {
  await Deno.mkdir("dist/bench", { recursive: true });
  const folder = await Deno.makeTempDir({ dir: "dist/bench", prefix: "stores-" });
  const namespace = `latchkey_bench_${Deno.pid}`;
  const locations: StoreLocation[] = [
    { name: "memory" },
    { name: "sqlite", store: `sqlite:${folder}/store.db`, clear: () => Deno.remove(folder, { recursive: true }) },
  ];
  const servers = { postgres: "LATCHKEY_TEST_POSTGRES", redis: "LATCHKEY_TEST_REDIS" };
  for (const [name, variable] of Object.entries(servers)) {
    const store = Deno.env.get(variable);
    if (store === undefined) console.log(`Left out ${name}: ${variable} names no server.`);
    else locations.push({ name, store, namespace, shared: true, clear: () => clearDatabase(name, store, namespace) });
  }
  return locations;
}

async function clearDatabase(name: string, url: string, namespace: string): Promise<void> {
  const { dropPostgresSchemas, dropRedisPrefixes } = await import("../../tests/platform/store/servers.ts");
  await (name === "postgres" ? dropPostgresSchemas(url, [namespace]) : dropRedisPrefixes(url, [namespace]));
}
