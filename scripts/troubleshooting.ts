/** Writes the guide to the messages of client libraries: `deno task troubleshooting --help`. */

import { readFileSync, writeFileSync } from "node:fs";
import { CommandError, exitWithError, readCommand } from "./command.ts";
import { printTroubleshooting, troubleshootingPath } from "./troubleshooting_text.ts";

const { flags } = readCommand({
  call: "deno task troubleshooting",
  does: `Writes ${troubleshootingPath} from the table of messages in src/devtools/messages.`,
  flags: { check: { does: "only compare the file" } },
});

try {
  const text = await printTroubleshooting();
  if (!flags.check) writeFileSync(troubleshootingPath, text);
  else if (readFileSync(troubleshootingPath, "utf8") !== text) {
    throw new CommandError(`${troubleshootingPath} is not what the table gives. Run: deno task troubleshooting.`);
  }
} catch (error) {
  exitWithError(error);
}
