/** Prints the endpoints of a server, and what stands around them: `deno task endpoints --help`. */

import { Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";
import { openServer } from "../src/cli/open_server.ts";
import { readConfiguration } from "../src/cli/read_config.ts";
import { processEnvironment } from "../src/platform/runtime/current_process.ts";
import type { App } from "../src/server/app.ts";
import type { Endpoint } from "../src/server/endpoint.ts";
import { CommandError, exitWithError, readCommand } from "./command.ts";

const { words } = readCommand({
  call: "deno task endpoints",
  does:
    "Prints what stands around each request, the outermost first, and the endpoints: path, methods, who calls it, " +
    "how it sends errors, and the file of its handler.",
  words: { value: "FLAG", does: "flags of the program, after --, such as -- --login interactive; default: none" },
});

/** Finds the files of functions, as debuggers do. */
async function fileFinder() {
  const session = new Session();
  session.connect();
  const files = new Map<string, string>();
  session.on("Debugger.scriptParsed", ({ params }) => void files.set(params.scriptId, params.url));
  await session.post("Debugger.enable");
  return async (handler: unknown): Promise<string> => {
    Object.assign(globalThis, { handler });
    const { result } = await session.post("Runtime.evaluate", { expression: "globalThis.handler" });
    const { internalProperties = [] } = await session.post("Runtime.getProperties", { objectId: result.objectId! });
    const { value } = internalProperties.find(({ name }) => name === "[[FunctionLocation]]")!;
    const url = files.get(value!.value.scriptId)!;
    return fileURLToPath(url).slice(fileURLToPath(new URL("../", import.meta.url)).length);
  };
}

async function openApp(): Promise<App> {
  const environment = await processEnvironment();
  const { readTextFile } = environment;
  const config = await readConfiguration({ args: words, env: {}, readTextFile });
  if (config.kind !== "run") throw new CommandError("expected flags that start a server");
  return (await openServer(config, environment, () => Promise.resolve(""))).app;
}

try {
  const { around, endpoints } = await openApp();
  const findFile = await fileFinder();
  console.log(`Around each request:\n${around.map((name, i) => `${i + 1}. ${name}`).join("\n")}\n`);
  for (const { path, methods, caller, errors, load } of endpoints as readonly Endpoint[]) {
    const handlers = await load();
    const file = await findFile(Object.values(handlers)[0]);
    console.log([path.padEnd(44), methods.join(" ").padEnd(14), caller.padEnd(15), errors.padEnd(9), file].join(" "));
  }
  Deno.exit();
} catch (error) {
  exitWithError(error);
}
