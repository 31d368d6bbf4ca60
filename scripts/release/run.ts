/** Runs commands, and ends what is wrong in a sentence. */

import { Refusal } from "./refusal.ts";

/** The names of npm's commands on this system. */
export const npm = Deno.build.os === "windows" ? "npm.cmd" : "npm";

/** Runs a command, with these variables beside those of the surroundings, and gives back what it printed. */
export async function run([command, ...args]: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const options = { args, env: { NO_COLOR: "1", ...env }, stdin: "null" } as const;
  const { success, stdout, stderr } = await new Deno.Command(command!, options).output().catch((error) => {
    throw new Refusal(`${command} cannot be run: ${error.message}.`);
  });
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  if (success) return out!;
  throw new Refusal(`${[command, ...args].join(" ")} failed:\n${`${out}${err}`.trim()}`);
}

/** Whether a command is there, and does it. */
export async function works(words: readonly string[]): Promise<boolean> {
  return await run(words).then(() => true, () => false);
}
