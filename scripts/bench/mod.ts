/** Measures Latchkey, beside others, on each runtime in one run: `deno task bench --help`. */

import { CommandError, exitWithError, readCommand } from "../command.ts";
import { compareFlows } from "./comparison.ts";
import { measureMemory } from "./memory.ts";
import type { Options } from "./options.ts";
import { peers } from "./peers/packages.ts";
import { killAll, pinning, startProcess } from "./processes.ts";
import { findRuntime, runtimeNames } from "./runtimes.ts";
import { measureStarts } from "./start.ts";

const { flags } = readCommand({
  call: "deno task bench",
  does: "Measures flows per second and their cost: Latchkey beside a bare server that does the same work on the same " +
    "runtime, and beside oauth2-mock-server and oidc-provider, which npm installs into dist/bench/peers. " +
    "Without flags: flows with refresh tokens on three runtimes, some minutes.",
  flags: {
    what: {
      value: "LIST",
      someOf: ["flow_with_refresh_token", "flow", "start", "memory"],
      does: "flow_with_refresh_token (default): authorization code flows, from authorize to three tokens; flow: the " +
        "same of a client without refresh tokens; start: from the spawn to listening and to the end of the first " +
        "flow; memory: idle, warm, and every 20,000 flows up to 180,000",
    },
    runtimes: { value: "LIST", someOf: runtimeNames, does: "default: deno,bun,node" },
    algs: {
      value: "LIST",
      someOf: ["RS256", "ES256", "EdDSA"],
      does: "default: for flows ES256 and RS256, and on Deno EdDSA; start ES256; memory EdDSA",
    },
    peers: { value: "LIST", someOf: [...peers, "none"], does: "for flows and start; default: both" },
    rounds: { value: "NUMBER", does: "rounds, each of all servers in turn; medians are printed; default: 5" },
    seconds: { value: "NUMBER", does: "length of a round, per server; default: 1" },
    "warm-up": { value: "NUMBER", does: "seconds of load on each server before its first round; default: 2" },
    quick: { does: "a smoke of what was asked for: one round of half a second, few starts and flows" },
  },
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => {
    killAll();
    Deno.exit(130);
  });
}

try {
  const { what = ["flow_with_refresh_token"], runtimes = runtimeNames, algs, quick } = flags;
  const options: Options = {
    runtimes,
    algs,
    peers: (flags.peers ?? peers).filter((name) => name !== "none"),
    rounds: Math.ceil(parseNumber("rounds", quick ? 1 : 5, 100)),
    seconds: parseNumber("seconds", quick ? 0.5 : 1, 60),
    warmUp: parseNumber("warm-up", quick ? 0.5 : 2, 600),
    spawns: quick ? 2 : 9,
    flowsPerStep: quick ? 500 : 20_000,
  };
  console.log(`On this machine ${pinning}.`);
  await using load = startProcess((await findRuntime("deno")).command("load"), 1);
  for (const part of what) {
    if (part === "start") await measureStarts(options);
    else if (part === "memory") await measureMemory(options, load);
    else await compareFlows(part, options, load);
  }
} catch (error) {
  killAll();
  exitWithError(error);
}

/** @throws {CommandError} If the value is no number from 0.1 to the maximum. */
function parseNumber(name: "rounds" | "seconds" | "warm-up", byDefault: number, most: number): number {
  const value = Number(flags[name] ?? byDefault);
  if (value >= 0.1 && value <= most) return value;
  throw new CommandError(`--${name}: expected a number from 0.1 to ${most}; found ${flags[name]}.`);
}
