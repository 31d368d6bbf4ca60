/** A process with a log: writes a success, and ends as its argument says. */

import { logging } from "../../../src/cli/operating/mod.ts";
import { processEnvironment } from "../../../src/platform/runtime/current_process.ts";

const { args, exit, onExit, writeLogLine } = await processEnvironment();
const log = logging({ write: writeLogLine, format: "text", verbose: true });
onExit(log.flush);
log.onEvent({ type: "code_issued", at: 0, client: "spa", sub: "alice", scope: [], grantId: "1" });

const ends: Readonly<Record<string, () => unknown>> = {
  "by exit": () => exit(3),
  "by an error": () => {
    throw new Error("an error that no code catches");
  },
  "by a rejection": () => Promise.reject(new Error("a rejection that no code catches")),
  "by itself": () => {},
};
// Not in this task: an error of a module that is not loaded yet is another one.
queueMicrotask(() => setTimeout(ends[args[0]!]!, 0));
