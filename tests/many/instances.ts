/** Several instances on one store, each a process of its own, on all three runtimes. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Settings } from "../../src/server/config/settings.ts";
import { childArguments } from "../platform/store/run_child.ts";
import type { InstanceOptions } from "./instance_child.ts";
import type { Load } from "./load.ts";
import { freePort, newFolder, type StartedProcess, startProcess, waitUntil } from "./processes.ts";

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
      grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
    },
    { client_id: "api", client_secret: "api-secret", redirect_uris: ["https://api.example/cb"] },
  ],
};

/** A running instance. */
export interface Instance {
  readonly url: string;
  readonly runtime: Runtime;
  /** The process as it is now. */
  process(): StartedProcess;
  /** Status of `/readyz`, or 0 without a response. */
  ready(): Promise<number>;
  /** Starts it after it has ended; resolves when it is ready. */
  start(): Promise<void>;
}

/** What is special about an instance. */
export interface InstanceOverrides extends Pick<InstanceOptions, "dieAfter" | "ahead" | "lies"> {
  readonly settings?: Settings;
}

/** Starts an instance from the command line like an operator; a special one through a test program. */
export async function startInstance(
  runtime: Runtime,
  store: string,
  overrides: InstanceOverrides = {},
): Promise<Instance> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const instanceSettings = { ...settings, ...overrides.settings };
  const config = join(newFolder(), "latchkey.json");
  writeFileSync(config, JSON.stringify(instanceSettings));
  const isCustom = overrides.dieAfter !== undefined || overrides.ahead !== undefined || overrides.lies === true;
  const [command, ...program] = getCommand(runtime, isCustom);
  const options: InstanceOptions = { ...overrides, port, store, settings: instanceSettings };
  const args = isCustom
    ? [JSON.stringify(options)]
    : ["--port", String(port), "--host", "127.0.0.1", "--store", store, "--inspector", "off", "--config", config];
  let current: StartedProcess;
  const self: Instance = {
    url,
    runtime,
    process: () => current,
    ready: () =>
      fetch(`${url}/readyz`, { signal: AbortSignal.timeout(15_000) }).then(async (response) => {
        await response.body?.cancel();
        return response.status;
      }, () => 0),
    async start() {
      current = startProcess(command!, [...program, ...args], {
        env: { ...process.env, NO_COLOR: "1", NODE_NO_WARNINGS: "1" },
      });
      let ended = false;
      current.exited.then(() => ended = true);
      await waitUntil(`an instance on ${runtime} is ready`, async () => ended || await self.ready() === 200);
      if (ended) throw new Error(`an instance on ${runtime} ended before it was ready:\n${current.output()}`);
    },
  };
  await self.start();
  return self;
}

function getCommand(runtime: Runtime, isCustom: boolean): string[] {
  const child = "tests/many/instance_child";
  if (runtime === "deno") return [process.execPath, ...childArguments(isCustom ? child : "src/main")];
  const path = process.env[`MANY_${runtime.toUpperCase()}`];
  if (path === undefined) throw new Error(`Start these tests with deno task test:many, which finds ${runtime}.`);
  return [path, isCustom ? `dist/${child}.mjs` : "dist/tests/platform/runtime/main_child.mjs"];
}

/** Starts one instance on each runtime. */
export function startInstances(store: string, overrides?: InstanceOverrides): Promise<Instance[]> {
  return Promise.all((["deno", "node", "bun"] as const).map((runtime) => startInstance(runtime, store, overrides)));
}

/** Kills one after the other under load, and starts each again before the next. */
export async function restartInTurn(instances: readonly Instance[], load: Load): Promise<void> {
  for (const instance of instances) {
    await load.flows(20);
    await instance.process().end("SIGKILL");
    await instance.start();
  }
}
