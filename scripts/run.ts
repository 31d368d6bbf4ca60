/** Runs commands, and reports failures as one sentence. */

import { CommandError } from "./command.ts";

/** npm's commands on this system. */
export const [npm, npx] = Deno.build.os === "windows" ? ["npm.cmd", "npx.cmd"] as const : ["npm", "npx"] as const;

/** This system, as used in the names of binaries: `linux-x64`. */
export const thisSystem: string = `${Deno.build.os === "darwin" ? "macos" : Deno.build.os}-${
  Deno.build.arch === "x86_64" ? "x64" : "arm64"
}`;

/** Runs a command with additional environment variables, and returns its output. */
export async function run([command, ...args]: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const options = { args, env: { NO_COLOR: "1", ...env }, stdin: "null" } as const;
  const { success, stdout, stderr } = await new Deno.Command(command!, options).output().catch((error) => {
    throw new CommandError(`${command} cannot be run: ${error.message}.`);
  });
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  if (success) return out!;
  throw new CommandError(`${[command, ...args].join(" ")} failed:\n${`${out}${err}`.trim()}`);
}

/** Whether a command exists and succeeds. */
export async function succeeds(words: readonly string[]): Promise<boolean> {
  return await run(words).then(() => true, () => false);
}

/** The environment without variables for Latchkey and its tests. */
export function getCleanEnvironment(): Record<string, string> {
  return Object.fromEntries(Object.entries(Deno.env.toObject()).filter(([name]) => !name.startsWith("LATCHKEY_")));
}
