/**
 * One subject as a process: `child.ts SUBJECT ALG fetch|socket`. Prints the time of loading and of the first login,
 * then reads one job per line and prints one result per line.
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

/** Subjects by name. */
const subjects = {
  latchkey: latchkeyMock,
  "oauth2-mock-server": oauth2MockServer,
  "oidc-provider": oidcProvider,
} satisfies Record<string, Load>;

/** The name of a subject. */
export type SubjectName = keyof typeof subjects;

/** Transport: as clients do, or the cheapest one for a listening server. */
export type Transport = "fetch" | "socket";

/**
 * A job: one login at each of several new servers, or logins at one server for some time, by the subject's own function
 * or not.
 */
export type Job = { readonly fresh: number } | { readonly seconds: number; readonly own: boolean };

/** Duration, in milliseconds. */
export interface Duration {
  readonly time: number;
  /** CPU time of all threads of the process. */
  readonly cpu: number;
}

/** Times of creating a server, and of creating it and logging in. */
export interface FreshRun {
  readonly created: Duration;
  readonly loggedIn: Duration;
}

/** The same for the first login of the process, and the time of loading the package. */
export interface FirstRun extends FreshRun {
  readonly loaded: Duration;
}

/** One of this many logins verifies the signatures of its tokens. */
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

/** Starts a measurement; the returned function reads it. */
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

/** Medians of times; means of CPU time, whose clock may be too coarse for one login. */
async function freshRuns(count: number): Promise<FreshRun> {
  const all: FreshRun[] = [];
  while (all.length < count) all.push(await freshRun(all.length === 0));
  const average = (span: (one: FreshRun) => Duration): Duration => ({
    time: median(all.map((one) => span(one).time)),
    cpu: all.reduce((sum, one) => sum + span(one).cpu, 0) / count,
  });
  return { created: average(({ created }) => created), loggedIn: average(({ loggedIn }) => loggedIn) };
}

/** Average of one login. */
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

/** Throws unless the tokens of a login have the expected claims and are signed by published keys. */
async function verify(connection: Connection, site: Site, tokens: Tokens): Promise<void> {
  const prove = await tokenVerifier(connection, site);
  for (const proof of expectedTokens(site, site.clientId, tokens)) await prove(proof);
}

async function stopSubject(started: Started, connection: Connection): Promise<void> {
  connection.close();
  await started.stop();
}
