/** Runs of `latchkey check` against a small web application. */

import { readFile } from "node:fs/promises";
import { checkApplication } from "../../src/cli/check/check_application.ts";
import { findFreePort } from "../platform/runtime/free_port.ts";
import { type ExitResult, fastKeys, runProgram } from "../platform/runtime/run_program.ts";
import { type ApplicationMistake, startWebApplication } from "../check/small_web_application.ts";

/** Starts the application, and checks it by a command line. Default: in a process, as a user does. */
export async function check(
  args: readonly string[] | ((url: string) => readonly string[]),
  mistake?: ApplicationMistake,
  run: (args: readonly string[]) => Promise<ExitResult> = ([...args]) => runProgram({ args, env: fastKeys }),
): Promise<ExitResult> {
  const port = await findFreePort();
  await using application = await startWebApplication(() => ({
    issuer: `http://localhost:${port}`,
    clientId: "shop",
    alg: "EdDSA",
    mistake,
  }));
  const { url } = application;
  return await run([
    ...["check", `${url}/login`, "--port", String(port), "--client-id", "shop"],
    ...["--redirect-uri", `${url}/callback`, "--recovery", "0"],
    ...typeof args === "function" ? args(url) : args,
  ]);
}

/** {@link check} in this process. */
export function checkInProcess(args: Parameters<typeof check>[0], mistake?: ApplicationMistake): Promise<ExitResult> {
  return check(args, mistake, ([, ...args]) => checkHere(args, Date.now));
}

const never = () => {
  throw new Error("The command may not end the process.");
};

/** Checks an application in this process, with a clock of its own. */
export async function checkHere(
  args: readonly string[],
  now: () => number,
  onError: (text: string) => void = () => {},
  onStop: (callback: () => void) => void = () => {},
): Promise<ExitResult> {
  const { log, error } = console;
  const output = { stdout: "", stderr: "" };
  console.log = (text: string) => void (output.stdout += `${text}\n`);
  console.error = (text: string) => {
    output.stderr += `${text}\n`;
    onError(text);
  };
  try {
    const environment = {
      env: fastKeys,
      mainModule: "",
      isTerminal: false,
      now,
      readTextFile: (path: string) => readFile(path, "utf8"),
      onStop,
      exit: never,
    };
    const readRules = () => environment.readTextFile("tests/rules.md");
    return { code: await checkApplication(args, environment, readRules), ...output };
  } finally {
    Object.assign(console, { log, error });
  }
}
