/**
 * Reads a secret from the terminal without echo, or from a pipe: a secret in an argument would stay in the history of
 * the shell.
 */

import process from "node:process";

/**
 * Reads a password: from a terminal twice, because the input is not visible; from a pipe once, returned as both values.
 */
export async function readSecret(
  prompt: string,
  repeatPrompt: string,
): Promise<{ readonly password: string; readonly again: string }> {
  if (process.stdin.isTTY) return { password: await promptSecret(prompt), again: await promptSecret(repeatPrompt) };
  const password = await readLine();
  return { password, again: password };
}

async function promptSecret(prompt: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(prompt);
  stdin.setRawMode(true);
  const line = readLine((interrupted) => {
    stderr.write("\n");
    if (interrupted) process.exit(130);
  });
  return await line.finally(() => stdin.setRawMode(false));
}

/** What arrived after the end of the line that was read last, as when both lines are typed together. */
let typedAhead = "";

/**
 * Reads up to the end of the line or of the input.
 *
 * @param done Called at the end; `interrupted` after Ctrl+C. If present, the terminal is in raw mode and the function
 *   interprets its control keys.
 */
function readLine(done?: (interrupted: boolean) => void): Promise<string> {
  const { stdin } = process;
  let line = "";
  const typed = typedAhead;
  typedAhead = "";
  return new Promise((resolve, reject) => {
    const end = () => finish(false);
    const finish = (interrupted: boolean) => {
      stdin.off("data", read).off("end", end).pause();
      done?.(interrupted);
      resolve(line);
    };
    const read = (text: string) => {
      const keys = [...text];
      for (const [at, key] of keys.entries()) {
        if (key === "\n" || key === "\r") {
          typedAhead = keys.slice(at + 1).join("");
          return finish(false);
        }
        if (done === undefined) line += key;
        else if (key === "\u0003") return finish(true);
        else if (key === "\u0004") return finish(false);
        else if (key === "\u007f" || key === "\b") line = [...line].slice(0, -1).join("");
        else line += key;
      }
    };
    stdin.setEncoding("utf8").on("data", read).on("end", end).on("error", reject).resume();
    read(typed);
  });
}
