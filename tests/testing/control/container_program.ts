/** The program instead of a container's. */

import { assert } from "@std/assert";
import { openServer } from "../../../src/cli/open_server.ts";
import { readConfiguration } from "../../../src/cli/read_config.ts";
import { commandEnvironment, readRules } from "../../cli/command_runs.ts";

/** Starts the program on a free port, with the variables that a container has. */
export async function startProgram(env: Readonly<Record<string, string>>) {
  const environment = commandEnvironment([], { ...env, LATCHKEY_LOG: "off", LATCHKEY_PORT: "0" });
  const config = await readConfiguration({ ...environment, args: [] });
  assert(config.kind === "run");
  const { server } = await openServer(config, environment, readRules);
  const { port } = new URL((await server.listen({ port: 0, host: "localhost" })).url);
  return { port: Number(port), close: () => server.close() };
}
