/**
 * One subject in a process of its own: `child.ts SUBJECT ALG fetch|socket`. Says what loading it and the first login took;
 * then a job per line comes in, and a result per line goes out.
 */

import process from "node:process";
import { createInterface } from "node:readline";
import { fetchConnection, openConnection } from "../connection.ts";
import type { Connection } from "../connection.ts";
import { median } from "../table.ts";
import { tokenVerifier } from "../assert_response.ts";
import { expectedTokens, runFlow } from "../flow.ts";
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
export type Transport = "fetch" | "socket";

/** What to do: logins at new servers, one each; or logins at one server for a while, the subject's own way or not. */
export type Job = { readonly fresh: number } | { readonly seconds: number; readonly own: boolean };

/** What something took, in milliseconds. */
export interface Duration {
  readonly time: number;
  /** Of the CPU, on all threads of the process. */
  readonly cpu: number;
}

/** Making a server, and making it and logging in. */
export interface FreshRun {
  readonly created: Duration;
  readonly loggedIn: Duration;
}

/** The same for the first one in the process, and what loading the package took before it. */
export interface FirstRun extends FreshRun {
  readonly loaded: Duration;
}

/** Of this many logins, one has the signatures of its tokens verified. */
const verifiedEvery = 200;

const [name, alg, transport] = process.argv.slice(2) as [SubjectName, "RS256" | "ES256", Transport];

const elapsed = stopwatch();
const subject = await subjects[name](alg);
const loaded = elapsed();
const first: FirstRun = { loaded, ...await freshRun(true) };
console.log(JSON.stringify(first));

for await (const line of createInterface({ input: process.stdin })) {
  const job: Job = JSON.parse(line);
  console.log(JSON.stringify("fresh" in job ? await freshRuns(job.fresh) : await logins(job)));
}

/** Begins a span; what it gives back says what it took so far. */
function stopwatch(): () => Duration {
  const cpuBefore = process.cpuUsage();
  const before = performance.now();
  return () => {
    const time = performance.now() - before;
    const { user, system } = process.cpuUsage(cpuBefore);
    return { time, cpu: (user + system) / 1000 };
  };
}

async function freshRun(verified: boolean): Promise<FreshRun> {
  const elapsed = stopwatch();
  const started = await subject.start();
  const created = elapsed();
  const connection = await connectTo(started);
  const tokens = await runFlow(connection, started.site);
  const loggedIn = elapsed();
  if (verified) await verify(connection, started.site, tokens);
  await stopSubject(started, connection);
  return { created, loggedIn };
}

/** Medians of times; means of CPU, whose clock may be too coarse for one. */
async function freshRuns(count: number): Promise<FreshRun> {
  const all: FreshRun[] = [];
  while (all.length < count) all.push(await freshRun(all.length === 0));
  const average = (span: (one: FreshRun) => Duration): Duration => ({
    time: median(all.map((one) => span(one).time)),
    cpu: all.reduce((sum, one) => sum + span(one).cpu, 0) / count,
  });
  return { created: average(({ created }) => created), loggedIn: average(({ loggedIn }) => loggedIn) };
}

/** One login, on average. */
async function logins({ seconds, own }: { seconds: number; own: boolean }): Promise<Duration> {
  const started = await subject.start();
  const connection = await connectTo(started);
  const total = { time: 0, cpu: 0, count: 0 };
  while (total.time < seconds * 1000) {
    const elapsed = stopwatch();
    let last: Tokens | undefined;
    for (let i = 0; i < verifiedEvery; i++) {
      if (own) await started.logIn!();
      else last = await runFlow(connection, started.site);
    }
    const { time, cpu } = elapsed();
    total.time += time;
    total.cpu += cpu;
    total.count += verifiedEvery;
    if (last !== undefined) await verify(connection, started.site, last);
  }
  await stopSubject(started, connection);
  return { time: total.time / total.count, cpu: total.cpu / total.count };
}

function connectTo({ fetch, site, port }: Started): Connection | Promise<Connection> {
  return transport === "fetch" ? fetchConnection(fetch, site.issuer) : openConnection(port!);
}

/** Throws unless the tokens of a login say what they must, and are signed by keys that the server publishes. */
async function verify(connection: Connection, site: Site, tokens: Tokens): Promise<void> {
  const prove = await tokenVerifier(connection, site);
  for (const proof of expectedTokens(site, site.clientId, tokens)) await prove(proof);
}

async function stopSubject(started: Started, connection: Connection): Promise<void> {
  connection.close();
  await started.stop();
}
