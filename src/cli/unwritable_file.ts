/** Describes why a command cannot write the file that its user named. */

import { printable } from "../core/http/quote_value.ts";
import type { ProcessEnvironment } from "../platform/runtime/process_environment.ts";
import { missingPermission, programCommand } from "./about.ts";
import { CommandLineError } from "./command_line_error.ts";

/**
 * The error of a command whose file cannot be written.
 *
 * @param error What the runtime threw.
 * @param command Its name, such as `init`.
 */
export function unwritableFile(
  path: string,
  error: unknown,
  environment: Pick<ProcessEnvironment, "mainModule" | "env">,
  command: string,
): CommandLineError {
  // In a clone, the task of every command may write in its folder only.
  const missing = missingPermission(error, `${programCommand(environment, "COMMAND")} ${command}`);
  return new CommandLineError([{
    path: printable(path),
    expected: "a folder in which this command may create a file",
    received: printable(error instanceof Error ? error.message : String(error)),
    hint: "Run the command in a folder of your own, such as that of the application, or name a file in one.",
    ...missing && { ...missing, expected: "a process that may write this file" },
  }]);
}
