/**
 * One subject in a process of its own: `child.ts SUBJECT ALG fetch|socket`. Says what loading it and the first login took;
 * then a job per line comes in, and a result per line goes out.
 */

import process from "node:process";
import { createInterface } from "node:readline";
import { open, over } from "../connection.ts";
import type { Connection } from "../connection.ts";
import { median } from "../table.ts";
import { prover } from "../answers.ts";
import { flow, proofs } from "../flow.ts";
import type { Tokens } from "../flow.ts";
import { load as oauth2MockServer } from "../peers/oauth2_mock_server.ts";
import { load as oidcProvider } from "../peers/oidc_provider.ts";
import type { Load, Site, Started } from "../site.ts";
import { load as latchkeyMock } from "./latchkey_mock.ts";

/** Everything that is measured. */
const subjects = {
  latchkey: latchkeyMock,
  "oauth2-mock-server": oauth2MockServer,
  "oidc-provider": oidcProvider,
} satisfies Record<string, Load>;

/** The name of a subject. */
export type SubjectName = keyof typeof subjects;

/** How the client reaches the server: as clients do, or by the cheapest means there is for one that listens. */
export type Way = "fetch" | "socket";

/** What to do: logins at new servers, one each; or logins at one server for a while, the subject's own way or not. */
export type Job = { readonly fresh: number } | { readonly seconds: number; readonly own: boolean };

/** What something took, in milliseconds. */
export interface Span {
  readonly time: number;
  /** Of the CPU, on all threads of the process. */
  readonly cpu: number;
}

/** Making a server, and making it and logging in. */
export interface Fresh {
  readonly made: Span;
  readonly loggedIn: Span;
}

/** The same for the first one in the process, and what loading the package took before it. */
export interface First extends Fresh {
  readonly loaded: Span;
}

/** Of this many logins, one has the signatures of its tokens verified. */
const verifiedEvery = 200;

const [name, alg, way] = process.argv.slice(2) as [SubjectName, "RS256" | "ES256", Way];

const loading = watch();
const subject = await subjects[name](alg);
const loaded = loading();
const first: First = { loaded, ...await fresh(true) };
console.log(JSON.stringify(first));

for await (const line of createInterface({ input: process.stdin })) {
  const job: Job = JSON.parse(line);
  console.log(JSON.stringify("fresh" in job ? await freshOnes(job.fresh) : await logins(job)));
}

/** Begins a span; what it gives back says what it took so far. */
function watch(): () => Span {
  const cpuBefore = process.cpuUsage();
  const before = performance.now();
  return () => {
    const time = performance.now() - before;
    const { user, system } = process.cpuUsage(cpuBefore);
    return { time, cpu: (user + system) / 1000 };
  };
}

async function fresh(verified: boolean): Promise<Fresh> {
  const soFar = watch();
  const started = await subject.start();
  const made = soFar();
  const connection = await connect(started);
  const tokens = await flow(connection, started.site);
  const loggedIn = soFar();
  if (verified) await verify(connection, started.site, tokens);
  await end(started, connection);
  return { made, loggedIn };
}

/** Medians of times; means of CPU, whose clock may be too coarse for one. */
async function freshOnes(count: number): Promise<Fresh> {
  const all: Fresh[] = [];
  while (all.length < count) all.push(await fresh(all.length === 0));
  const middle = (span: (one: Fresh) => Span): Span => ({
    time: median(all.map((one) => span(one).time)),
    cpu: all.reduce((sum, one) => sum + span(one).cpu, 0) / count,
  });
  return { made: middle(({ made }) => made), loggedIn: middle(({ loggedIn }) => loggedIn) };
}

/** One login, on average. */
async function logins({ seconds, own }: { seconds: number; own: boolean }): Promise<Span> {
  const started = await subject.start();
  const connection = await connect(started);
  const total = { time: 0, cpu: 0, count: 0 };
  while (total.time < seconds * 1000) {
    const soFar = watch();
    let last: Tokens | undefined;
    for (let i = 0; i < verifiedEvery; i++) {
      if (own) await started.logIn!();
      else last = await flow(connection, started.site);
    }
    const { time, cpu } = soFar();
    total.time += time;
    total.cpu += cpu;
    total.count += verifiedEvery;
    if (last !== undefined) await verify(connection, started.site, last);
  }
  await end(started, connection);
  return { time: total.time / total.count, cpu: total.cpu / total.count };
}

function connect({ fetch, site, port }: Started): Connection | Promise<Connection> {
  return way === "fetch" ? over(fetch, site.issuer) : open(port!);
}

/** Throws unless the tokens of a login say what they must, and are signed by keys that the server publishes. */
async function verify(connection: Connection, site: Site, tokens: Tokens): Promise<void> {
  const prove = await prover(connection, site);
  for (const proof of proofs(site, site.clientId, tokens)) await prove(proof);
}

async function end(started: Started, connection: Connection): Promise<void> {
  connection.close();
  await started.stop();
}
