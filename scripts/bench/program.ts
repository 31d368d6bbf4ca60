/** The program as `deno task start` and the npm package start it: with inspector and text log. */

import type { BenchAlgorithm } from "./site.ts";
import { clients } from "./clients.ts";
import { run } from "../run.ts";
import { startProcess } from "./processes.ts";
import type { Runtime } from "./runtimes.ts";
import type { RunningServer } from "./served.ts";
import { latchkeySite } from "./site.ts";

/** The command that starts the program on a runtime. Builds the npm package. */
export async function programCommand({ key, words }: Runtime): Promise<readonly string[]> {
  if (key === "deno") return [...words, "src/main.ts"];
  await buildPackage();
  return [...words, `${packageFolder}/main.js`];
}

/** Starts the program on the servers' core. Its log is discarded. */
export async function startProgram(
  command: readonly string[],
  alg: BenchAlgorithm,
): Promise<RunningServer> {
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

const packageFolder = "dist/npm";

/** Once in each run: a package of an older source would be measured as the present one. */
function buildPackage(): Promise<unknown> {
  return built ??= run([Deno.execPath(), "task", "build"]);
}

let built: Promise<unknown> | undefined;
