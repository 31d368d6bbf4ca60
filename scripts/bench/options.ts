/** The options of the bench: how much to measure, and on what. */

import { parseArgs } from "node:util";
import { requests } from "./requests.ts";
import type { RequestName } from "./requests.ts";
import { runtimeNames } from "./runtimes.ts";

/** Parts beside the comparison with the bare server. */
const partNames = ["embedded", "stores", "soak"] as const;

/** The name of such a part. */
export type PartName = typeof partNames[number];

/** What to do. */
export interface Options {
  readonly runtimes: readonly string[];
  /** Those that were named; each part has its own defaults. */
  readonly algs?: readonly string[];
  /** Requests for which Latchkey is measured beside the bare server. */
  readonly what: readonly RequestName[];
  readonly parts: readonly PartName[];
  readonly rounds: number;
  /** Per round, server and kind of request. */
  readonly seconds: number;
  /** Seconds of load before anything is counted. */
  readonly warmUp: number;
  readonly memory: boolean;
  readonly start: boolean;
  /** Spawns per server in the start part. */
  readonly spawns: number;
  /** Servers that are made, and logged in at once, in one round of the embedded part. */
  readonly freshServers: number;
  /** Flows in the soak. */
  readonly soaked: number;
  /** Flows per step in the memory part, and how many steps. */
  readonly step: number;
  readonly steps: number;
}

const algNames = ["RS256", "ES256", "EdDSA"];

const requestNames = Object.keys(requests) as RequestName[];

const help =
  `deno task bench: requests per second and their cost, Latchkey beside a bare server that does the same work on the same
runtime: parse, hash, sign or verify, and nothing else.

  --runtimes deno,bun,node   default: all three
  --algs RS256,ES256,EdDSA   default: RS256; embedded ES256 and RS256; stores EdDSA, so that stores are what is seen
  --what WHAT                default: flow; all of the first five, or some of
                             flow                 authorization code flows, from authorize to both tokens; each is one
                             refresh              a public client's refresh tokens, each exchanged for the next
                             introspection        of a JWT access token, by a confidential client
                             userinfo             by a JWT access token
                             client_credentials   of a confidential client
                             embedded             the mock for tests, beside others from npm: making one, logging in
                             stores               flows with each store, one and three instances, and round trips
                             soak                 an hour's worth of flows at a fixed rate: memory, latency
  --rounds 5                 rounds, each of both servers in turn; medians are printed
  --seconds 2                length of a round, per server
  --memory                   also memory: after warm-up and every 20,000 flows up to 100,000, codes living 10 s
  --start                    also start: from the spawn of the process to the end of the first flow, median of 9
  --quick                    a smoke of everything that was asked for: one round of half a second, short other parts
`;

/** Reads the command line; prints what is wrong with it, or the help, and ends the process. */
export function readOptions(args: string[]): Options {
  try {
    const { values } = parseArgs({
      args,
      options: {
        runtimes: { type: "string", default: runtimeNames.join() },
        algs: { type: "string" },
        what: { type: "string", default: "flow" },
        rounds: { type: "string" },
        seconds: { type: "string" },
        memory: { type: "boolean", default: false },
        start: { type: "boolean", default: false },
        quick: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help) {
      console.log(help);
      Deno.exit(0);
    }
    const { quick } = values;
    const named = values.what === "all" ? requestNames : list("what", values.what, [...requestNames, ...partNames]);
    return {
      runtimes: list("runtimes", values.runtimes, runtimeNames),
      algs: values.algs === undefined ? undefined : list("algs", values.algs, algNames),
      what: requestNames.filter((name) => named.includes(name)),
      parts: partNames.filter((name) => named.includes(name)),
      rounds: number("rounds", values.rounds ?? (quick ? "1" : "5"), 1, 100),
      seconds: number("seconds", values.seconds ?? (quick ? "0.5" : "2"), 0.1, 60),
      warmUp: quick ? 0.5 : 2,
      memory: values.memory,
      start: values.start,
      spawns: quick ? 3 : 9,
      freshServers: quick ? 10 : 100,
      soaked: quick ? 2000 : 72_000,
      step: quick ? 500 : 20_000,
      steps: quick ? 2 : 5,
    };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${help}`);
    Deno.exit(2);
  }
}

function list<Item extends string>(name: string, text: string, known: readonly Item[]): Item[] {
  const items = text.split(",");
  const isKnown = (item: string): item is Item => known.some((one) => one === item);
  if (items.every(isKnown)) return items;
  throw new Error(`--${name}: expected some of ${known.join(",")}, found ${text}.`);
}

function number(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (value >= least && value <= most) return value;
  throw new Error(`--${name}: expected a number from ${least} to ${most}, found ${text}.`);
}
