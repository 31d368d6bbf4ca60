/** Several instances on one store, each a process of its own, on all three runtimes. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Settings } from "../../src/oauth/config/settings.ts";
import type { Orders } from "./instance_child.ts";
import { delay, freePort, newFolder, start, type Started, until } from "./machines.ts";

/** What runs an instance. Node and Bun are taken from where `deno task test:many` says that they are. */
export type Runtime = "deno" | "node" | "bun";

/** The settings of every instance. */
export const settings: Settings = {
  issuer: "https://many.test",
  alg: "ES256",
  clients: [
    {
      client_id: "spa",
      redirect_uris: ["https://spa.example/cb"],
      grant_types: ["authorization_code", "refresh_token"],
    },
    { client_id: "api", client_secret: "api-secret", redirect_uris: ["https://api.example/cb"] },
  ],
};

/** A running instance. */
export interface Instance {
  readonly url: string;
  readonly runtime: Runtime;
  /** The process as it is now. */
  process(): Started;
  /** The status of `/readyz`, or 0 where nobody answers. */
  ready(): Promise<number>;
  /** Starts it after it has ended; resolves when it is ready. */
  start(): Promise<void>;
}

/** What is special about an instance. */
export interface Special extends Pick<Orders, "dieAfter" | "ahead" | "lies"> {
  readonly settings?: Settings;
}

/** Starts an instance from the command line, as its operator does; or, where it is special, by way of a program of ours. */
export async function startInstance(runtime: Runtime, store: string, special: Special = {}): Promise<Instance> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const own = { ...settings, ...special.settings };
  const config = join(newFolder(), "latchkey.json");
  writeFileSync(config, JSON.stringify(own));
  const isSpecial = special.dieAfter !== undefined || special.ahead !== undefined || special.lies === true;
  const [command, ...program] = commandOf(runtime, isSpecial);
  const orders: Orders = { ...special, port, store, settings: own };
  const args = isSpecial
    ? [JSON.stringify(orders)]
    : ["--port", String(port), "--host", "127.0.0.1", "--store", store, "--inspector", "off", "--config", config];
  let current: Started;
  const self: Instance = {
    url,
    runtime,
    process: () => current,
    ready: () =>
      fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3000) }).then(async (answer) => {
        await answer.body?.cancel();
        return answer.status;
      }, () => 0),
    async start() {
      current = start(command!, [...program, ...args], {
        env: { ...process.env, NO_COLOR: "1", NODE_NO_WARNINGS: "1" },
      });
      let ended = false;
      current.gone.then(() => ended = true);
      await until(`an instance on ${runtime} is ready`, async () => ended || await self.ready() === 200, 30_000);
      if (ended) throw new Error(`an instance on ${runtime} ended before it was ready:\n${current.said()}`);
    },
  };
  await self.start();
  return self;
}

function commandOf(runtime: Runtime, isSpecial: boolean): string[] {
  const child = "tests/many/instance_child";
  if (runtime === "deno") return ["deno", "run", "-A", isSpecial ? `${child}.ts` : "src/main.ts"];
  const path = process.env[`MANY_${runtime.toUpperCase()}`];
  if (path === undefined) throw new Error(`Start these tests with deno task test:many, which finds ${runtime}.`);
  return [path, isSpecial ? `dist/${child}.mjs` : "dist/tests/runtimes/main_child.mjs"];
}

/** Starts one instance on each runtime. */
export function startTeam(store: string, special?: Special): Promise<Instance[]> {
  return Promise.all((["deno", "node", "bun"] as const).map((runtime) => startInstance(runtime, store, special)));
}

/** Kills one after the other, and starts each again before the next. */
export async function killInTurn(instances: readonly Instance[]): Promise<void> {
  for (const one of instances) {
    await delay(400);
    await one.process().end("SIGKILL");
    await delay(200);
    await one.start();
  }
}
