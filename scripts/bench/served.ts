/** Servers as processes, and jobs of the load generator for them. */

import type { Job, Result } from "./load.ts";
import { installPeers } from "./peers/install.ts";
import { type PeerName, peersFolder, versions } from "./peers/packages.ts";
import { type RunningProcess, startProcess } from "./processes.ts";
import { findModule, startProgram } from "./program.ts";
import { findRuntime, type Runtime } from "./runtimes.ts";
import type { ServerSetup } from "./server.ts";
import type { BenchAlgorithm, FlowName, ServerAddress, Site } from "./site.ts";
import type { Version } from "./versions.ts";

/** Concurrent requests. */
const connections = 16;

/** A running server. */
export interface RunningServer extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
  readonly site: Site;
}

/** A version of Latchkey: `core()` or `latchkey()` in a program of the bench, or as started. */
interface LatchkeySubject {
  readonly kind: "core" | "embedded" | "started";
  readonly version: Version;
}

/** A server: the bare one, another project's, or Latchkey. */
export type Subject = "bare" | PeerName | LatchkeySubject;

/** Starts a subject on the servers' core. */
export async function startServer(runtime: Runtime, subject: Subject, alg: BenchAlgorithm): Promise<RunningServer> {
  if (typeof subject === "object") {
    const { kind, version } = subject;
    if (kind === "started") return await startProgram(runtime, version, alg);
    const module = await findModule(runtime, version, kind);
    return await startOwn(runtime.command("server", version.folder), { subject: kind, alg, module });
  }
  if (subject === "bare") return await startOwn(runtime.command("server"), { subject, alg });
  await installPeers();
  return await startOwn((await findRuntime(runtime.key, peersFolder)).command("server"), { subject, alg });
}

async function startOwn(command: readonly string[], setup: ServerSetup): Promise<RunningServer> {
  const process = startProcess([...command, JSON.stringify(setup)], 0);
  const stop = (): PromiseLike<void> => process[Symbol.asyncDispose]();
  try {
    const { port, site }: ServerAddress = JSON.parse(await process.readLine(120_000));
    return { pid: process.pid, port, site, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Name in a table. */
export function getLabel(subject: Subject): string {
  if (typeof subject === "object") return subject.version.name;
  return subject === "bare" ? subject : `${subject} ${versions[subject]}`;
}

/**
 * Runs a number of flows at a server.
 *
 * @throws {Error} With the first invalid response.
 */
export async function runLoad(
  load: RunningProcess,
  { pid, port, site }: RunningServer,
  flow: FlowName,
  count: number,
): Promise<Result> {
  const job: Job = { port, site, pid, flow, connections, count };
  await load.writeLine(JSON.stringify(job));
  const result: Result | { readonly failed: string } = JSON.parse(await load.readLine(600_000));
  if ("failed" in result) throw new Error(result.failed);
  // Unreadable CPU time is NaN, which JSON cannot represent.
  return { ...result, cpu: result.cpu ?? NaN };
}
