/** Options of the bench: the amount of work, and the subjects. */

import { parseArgs } from "node:util";
import type { SigningAlgorithm } from "../../src/mod.ts";
import { peers } from "./peers/packages.ts";
import type { PeerName } from "./peers/packages.ts";
import { requests } from "./requests.ts";
import type { RequestName } from "./requests.ts";

/** Measured runtimes. */
export const runtimeNames = ["deno", "bun", "node"] as const;

/** A measured runtime. */
export type RuntimeName = typeof runtimeNames[number];

/** Parts that `--what` accepts besides kinds of requests. */
const optionalParts = [
  "recording",
  "extensions",
  "control",
  "embedded",
  "stores",
  "tenants",
  "growth",
  "soak",
] as const;

/** Name of a part besides the comparison of requests. */
export type PartName = "start" | "memory" | typeof optionalParts[number];

/** Parsed options. */
export interface Options {
  readonly runtimes: readonly RuntimeName[];
  /** Requested parts; each has its own defaults. */
  readonly algs?: readonly SigningAlgorithm[];
  readonly peers: readonly PeerName[];
  /** Kinds of requests to compare. */
  readonly requestNames: readonly RequestName[];
  readonly parts: readonly PartName[];
  readonly rounds: number;
  /** Per round, server and kind of request. */
  readonly seconds: number;
  /** Seconds of load before measurement. */
  readonly warmUp: number;
  /** Spawns per server in the start part. */
  readonly spawns: number;
  /** An executable file of Latchkey, for the start part. */
  readonly binary: string;
  /** Servers created, each with one login, in one round of the embedded part. */
  readonly freshServers: number;
  /** Flows in the soak. */
  readonly soakFlows: number;
  /** Flows per step in the memory part, and how many steps: a multiple of three. */
  readonly flowsPerStep: number;
  readonly steps: number;
  /** Maximum of each dimension in the growth part. */
  readonly maxGrowth: number;
  /** Path of the growth part's chart. */
  readonly picture?: string;
}

const algNames = ["RS256", "ES256", "EdDSA"] as const;

const requestNames = Object.keys(requests) as RequestName[];

/** Text of `--help`. */
export const help =
  `deno task bench: requests per second and their cost. Latchkey beside a bare server that does the same work on the same
runtime (parse, hash, sign or verify, and nothing else), and beside oauth2-mock-server and oidc-provider, which npm
installs into dist/bench/peers. Without options: flows with refresh tokens, three runtimes, some minutes. Then Latchkey
is measured three times: the program as started, the program as a team runs it, and without plugins in a program.

  --runtimes deno,bun,node   default: all three
  --algs RS256,ES256,EdDSA   default: ES256 and RS256, and on Deno EdDSA; stores, growth and memory EdDSA alone, so that
                             it is not signatures that are seen; start and soak ES256
  --peers NAME,NAME          default: both; or none
  --what WHAT                default: the first, unless --start or --memory is there; all of the first six, or some of
                             flow_with_refresh_token
                                                  authorization code flows, from authorize to three tokens; each is one
                             flow                 the same of a client without refresh tokens
                             refresh              a public client's refresh tokens, each exchanged for the next
                             introspection        of a JWT access token, by a confidential client
                             userinfo             by a JWT access token
                             client_credentials   of a confidential client
                             recording            what the inspector costs, with and without an open page
                             extensions           flows with PAR and with DPoP beside plain ones, in this process
                             tenants              creating and removing tenants, and the memory that they leave
                             control              calls of the control over HTTP beside calls in process
                             embedded             the mock for tests, beside the peers: making one, logging in
                             stores               flows with each store, one and three instances, and round trips
                             growth               flows and refreshes beside ever more clients, users, live grants,
                                                  instances: their cost, and the memory of a live grant
                             soak                 an hour of flows at a fixed rate: memory, latency
  --rounds 5                 rounds, each of all servers in turn; medians are printed
  --seconds 1                length of a round, per server
  --warm-up 2                seconds of load on each server before its first round
  --start                    from the spawn of the process to listening and to the end of the first flow, median of 9;
                             Latchkey from source, from the npm package (built if it is not there or older than the
                             source), and as one executable file
  --binary FILE              default: dist/latchkey, which \`deno task compile\` makes, if it is there
  --memory                   idle, after warm-up, and every 20,000 flows up to 180,000
  --picture FILE             where growth is drawn, as SVG; default: nowhere
  --quick                    a smoke of everything that was asked for: one round of half a second, short other parts,
                             and no judgement
`;

/**
 * Parses the command line; `undefined` if the help is requested.
 *
 * @throws {Error} With one sentence that names the expected and the received value.
 */
export function parseOptions(args: string[]): Options | undefined {
  const values = parseArguments(args);
  if (values.help) return undefined;
  const { quick, start, memory, what = start || memory ? undefined : "flow_with_refresh_token" } = values;
  const requested = what === undefined ? [] : parseList("what", what, [...requestNames, ...optionalParts, "all"]);
  const parts: PartName[] = [
    ...start ? ["start"] as const : [],
    ...memory ? ["memory"] as const : [],
    ...optionalParts.filter((name) => requested.some((one) => one === name)),
  ];
  if (values.picture !== undefined && !parts.includes("growth")) {
    throw new Error("--picture: expected --what growth beside it, which is what is drawn.");
  }
  return {
    runtimes: parseList("runtimes", values.runtimes, runtimeNames),
    algs: values.algs === undefined ? undefined : parseList("algs", values.algs, algNames),
    peers: values.peers === "none" ? [] : parseList("peers", values.peers, peers),
    requestNames: requestNames.filter((name) => requested.includes(name) || requested.includes("all")),
    parts,
    rounds: Math.ceil(parseNumber("rounds", values.rounds ?? (quick ? "1" : "5"), 1, 100)),
    seconds: parseNumber("seconds", values.seconds ?? (quick ? "0.5" : "1"), 0.1, 60),
    warmUp: parseNumber("warm-up", values["warm-up"] ?? (quick ? "0.5" : "2"), 0.1, 600),
    spawns: quick ? 2 : 9,
    binary: values.binary,
    freshServers: quick ? 10 : 100,
    soakFlows: quick ? 2000 : 72_000,
    flowsPerStep: quick ? 500 : 20_000,
    steps: quick ? 3 : 9,
    maxGrowth: quick ? 1000 : 1_000_000,
    picture: values.picture,
  };
}

function parseArguments(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        runtimes: { type: "string", default: runtimeNames.join() },
        algs: { type: "string" },
        peers: { type: "string", default: peers.join() },
        what: { type: "string" },
        rounds: { type: "string" },
        seconds: { type: "string" },
        "warm-up": { type: "string" },
        start: { type: "boolean", default: false },
        binary: { type: "string", default: "dist/latchkey" },
        memory: { type: "boolean", default: false },
        picture: { type: "string" },
        quick: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    // Omits the runtime's advice about positional arguments, which does not apply.
    throw new Error(`${(error as Error).message.split(/[.\n]/)[0]}; deno task bench --help shows the options.`);
  }
}

function parseList<Item extends string>(name: string, text: string, known: readonly Item[]): Item[] {
  const items = text.split(",");
  const isKnown = (item: string): item is Item => known.some((one) => one === item);
  if (items.every(isKnown)) return items;
  throw new Error(`--${name}: expected some of ${known.join(",")}, found ${text}.`);
}

function parseNumber(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (value >= least && value <= most) return value;
  throw new Error(`--${name}: expected a number from ${least} to ${most}, found ${text}.`);
}
