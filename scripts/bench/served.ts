/** Servers of every comparison as processes, and jobs of the load generator for them. */

import type { Job, Result } from "./load.ts";
import { installPeers } from "./peers/install.ts";
import { peers, peersFolder, versions } from "./peers/packages.ts";
import type { PeerName } from "./peers/packages.ts";
import { startProcess } from "./processes.ts";
import type { RunningProcess } from "./processes.ts";
import { programCommand, startProgram } from "./program.ts";
import { findRuntime } from "./runtimes.ts";
import type { Runtime } from "./runtimes.ts";
import type { ServerSetup } from "./server.ts";
import type { FlowName, ServerAddress, Site } from "./site.ts";

/** Concurrent requests. */
export const connections = 16;

/** A running server. */
export interface RunningServer extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
  readonly site: Site;
}

/** A server: one of the bench's own, another project's, or the program. */
export type SubjectName = ServerSetup["subject"] | "as started";

/** Starts a subject on the servers' core. */
export async function startServer(
  runtime: Runtime,
  { subject, ...others }: Omit<ServerSetup, "subject"> & { readonly subject: SubjectName },
): Promise<RunningServer> {
  if (subject === "as started") return await startProgram(await programCommand(runtime), others.alg);
  if (isPeer(subject)) await installPeers();
  const { command } = isPeer(subject) ? await findRuntime(runtime.key, peersFolder) : runtime;
  const process = startProcess([...command("server"), JSON.stringify({ subject, ...others })], 0);
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
export function getSubjectLabel(which: SubjectName): string {
  if (which === "webcrypto") return "reference by WebCrypto";
  if (which === "core" || which === "as started") return `latchkey, ${which}`;
  return isPeer(which) ? `${which} ${versions[which]}` : which;
}

/** Whether it is another project's server. */
export function isPeer(which: SubjectName): which is PeerName {
  return peers.some((name) => name === which);
}

/**
 * Runs a job of the load generator.
 *
 * @throws {Error} With the first invalid response.
 */
export async function runLoad(
  load: RunningProcess,
  { pid, port, site }: RunningServer,
  flow: FlowName,
  { seconds = 600, count = 1e9 }: { seconds?: number; count?: number },
): Promise<Result> {
  const job: Job = { port, site, pid, flow, connections, seconds, count };
  await load.writeLine(JSON.stringify(job));
  const result: Result | { readonly failed: string } = JSON.parse(await load.readLine(seconds * 1000 + 30_000));
  if ("failed" in result) throw new Error(result.failed);
  // Unreadable CPU time is NaN, which JSON cannot represent.
  return { ...result, cpu: result.cpu ?? NaN };
}
