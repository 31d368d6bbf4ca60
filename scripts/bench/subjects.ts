/** Servers of every comparison, with source and name. */

import { installPeers } from "./peers/install.ts";
import { peers, peersFolder, versions } from "./peers/packages.ts";
import type { PeerName } from "./peers/packages.ts";
import { isProgram, programCommand, startProgram } from "./program.ts";
import type { ProgramName } from "./program.ts";
import { findRuntime } from "./runtimes.ts";
import type { Runtime } from "./runtimes.ts";
import { startServer } from "./served.ts";
import type { RunningServer } from "./served.ts";
import type { ServerSetup } from "./server.ts";

/** A subject. */
export type SubjectName = ServerSetup["subject"] | ProgramName;

/** Starts a subject on the servers' core. */
export async function startOnServerCore(
  runtime: Runtime,
  { subject, ...others }: Omit<ServerSetup, "subject"> & { readonly subject: SubjectName },
): Promise<RunningServer> {
  if (isProgram(subject)) return await startProgram(await programCommand(runtime), others.alg, subject);
  const setup = { subject, ...others };
  if (!isPeer(subject)) return await startServer(runtime, setup, 0);
  await installPeers();
  return await startServer(await findRuntime(runtime.key, peersFolder), setup, 0);
}

/** Name in a table. */
export function getSubjectLabel(which: SubjectName): string {
  if (which === "webcrypto") return "reference by WebCrypto";
  if (isProgram(which)) return `latchkey, ${which.replace("-", " ")}`;
  if (which === "latchkey") return "latchkey, core";
  return isPeer(which) ? `${which} ${versions[which]}` : which;
}

/** Whether it is another project's server. */
export function isPeer(which: SubjectName): which is PeerName {
  return peers.some((name) => name === which);
}
