/** Tests a program before its release: version, start, response, stop. */

import { CommandError } from "../command.ts";
import { getCleanEnvironment, run } from "../run.ts";

/** Milliseconds after which a program counts as hung. */
const timeoutMs = 120_000;

/** Runs the program twice; `signals` says whether a signal to the command reaches the program. */
export async function smokeTest(command: readonly string[], version: string, signals: boolean): Promise<void> {
  const readVersion = async () => (await run([...command, "--version"])).trim();
  // In one of some hundred runs, `buildah run` lost the output of a program that ends immediately.
  const line = await readVersion() || await readVersion();
  if (!line.startsWith(`latchkey ${version}`)) throw new CommandError(`Expected latchkey ${version}, found ${line}.`);

  const [program, ...args] = [...command, "--port", "0", "--log", "json"];
  const child = new Deno.Command(program!, {
    args,
    clearEnv: true,
    env: getCleanEnvironment(),
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  try {
    const issuer = await readIssuer(child.stderr);
    const metadata = await get(`${issuer}/.well-known/openid-configuration`);
    if (JSON.parse(metadata).issuer !== issuer) {
      throw new CommandError(`The metadata at ${issuer} has another issuer.`);
    }
    await get(`${issuer}/`);
    child.kill("SIGTERM");
    const { code } = await child.status;
    if (signals && code !== 0) {
      throw new CommandError(`Stopped by a signal, it ended with exit code ${code} instead of 0.`);
    }
  } finally {
    clearTimeout(timer);
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended.
    }
  }
}

/** The issuer in the program's output. Later output is read too, so that the program does not block. */
async function readIssuer(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const read = async () => {
    let text = "";
    for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const line = text.split("\n").slice(0, -1).find((line) => line.includes('"event":"listening"'));
      if (line !== undefined) resolve(JSON.parse(line).issuer);
    }
    reject(new CommandError(`It ended before it listened:\n${text.trim()}`));
  };
  read().catch(reject);
  return await promise;
}

async function get(url: string): Promise<string> {
  const response = await fetch(url);
  const text = await response.text();
  if (response.status !== 200) throw new CommandError(`Expected status 200 of ${url}, found ${response.status}.`);
  return text;
}
