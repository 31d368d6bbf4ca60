/** The program as `deno task start` and the npm package start it: with inspector and text log. */

import { type BenchAlgorithm, latchkeySite } from "./site.ts";
import { clients } from "./clients.ts";
import { startProcess } from "./processes.ts";
import type { Runtime } from "./runtimes.ts";
import type { RunningServer } from "./served.ts";
import type { Version } from "./versions.ts";

/** The command that starts the program on a runtime: from source on Deno, else from the npm package. */
async function programCommand({ key, words }: Runtime, version: Version): Promise<readonly string[]> {
  if (key === "deno") return [...words, `${version.folder}/src/main.ts`];
  await version.build();
  return [...words, `${version.folder}/dist/npm/main.js`];
}

/** The URL of the module with `core()` or `latchkey()`. */
export async function findModule(
  { key }: Runtime,
  version: Version,
  subject: "core" | "embedded",
): Promise<string> {
  const path = subject === "core" ? "core/mod" : "mod";
  if (key === "deno") return `file://${version.folder}/src/${path}.ts`;
  await version.build();
  return `file://${version.folder}/dist/npm/${path}.js`;
}

/** Starts the program on the servers' core. Its log is discarded. */
export async function startProgram(runtime: Runtime, version: Version, alg: BenchAlgorithm): Promise<RunningServer> {
  const command = await programCommand(runtime, version);
  const file = await Deno.makeTempFile({ suffix: ".json" });
  const port = freePort();
  await Deno.writeTextFile(file, JSON.stringify({ alg, clients }));
  const words = [...command, "--port", String(port), "--config", file];
  const process = startProcess(words, 0, { discardErrors: true });
  const stop = async (): Promise<void> => {
    await process[Symbol.asyncDispose]();
    await Deno.remove(file);
  };
  try {
    await untilListening(port, process.ended);
    return { pid: process.pid, port, site: latchkeySite(`http://localhost:${port}`), [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw new Error(`${words.join(" ")}: ${(error as Error).message}`);
  }
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** Resolves when the port accepts connections. The output cannot say so, because it is discarded. */
async function untilListening(port: number, ended: Promise<unknown>): Promise<void> {
  let hasEnded = false;
  ended.then(() => hasEnded = true);
  while (true) {
    try {
      return (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    } catch (error) {
      if (hasEnded) throw new Error("It ended before it listened.", { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
}
