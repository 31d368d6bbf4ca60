/** Tries a program before it is published: `deno run -A scripts/try_program.ts dist/latchkey`. */

import { resolve } from "node:path";
import manifest from "../deno.json" with { type: "json" };
import { findFreePort } from "../tests/platform/runtime/free_port.ts";
import { CommandError, exitWithError, readCommand } from "./command.ts";
import { getCleanEnvironment, run, succeeds } from "./run.ts";

/** Milliseconds after which a program counts as hung. */
const timeoutMs = 120_000;

/** Starts a program twice: for its version, and for a response. */
export async function tryProgram(command: readonly string[], version: string): Promise<void> {
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
  } finally {
    clearTimeout(timer);
    child.kill("SIGTERM");
    await child.status;
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

/**
 * Tries a container as its users run it: ready, healthy, and a login under each name of the machine.
 *
 * Starts the program with `issuer: "from-host"`, and stops it in the end.
 *
 * @param command Runs the program in a container, in the network of this machine.
 */
export async function tryContainer(command: readonly string[]): Promise<void> {
  const port = await findFreePort();
  const flags = ["--port", String(port), "--issuer", "from-host", "--log", "off"];
  const health = [...command, "health", ...flags];
  if (await succeeds(health)) throw new CommandError(`Without a server, ${health.join(" ")} succeeded.`);
  const [program, ...args] = [...command, ...flags];
  const child = new Deno.Command(program!, {
    ...{ args, clearEnv: true, env: getCleanEnvironment() },
    ...{ stdin: "null", stdout: "null", stderr: "null" },
  }).spawn();
  const hasEnded = child.status.then(({ code }) => {
    throw new CommandError(`The container ended with exit code ${code}.`);
  });
  hasEnded.catch(() => {});
  try {
    await Promise.race([waitUntilReady(`http://localhost:${port}/readyz`), hasEnded]);
    await run(health);
    for (const host of ["localhost", "127.0.0.1"]) {
      await logIn(`http://${host}:${port}`, `http://localhost:${port}/authorized`);
    }
  } finally {
    try {
      child.kill("SIGTERM");
    } catch {
      // It has ended.
    }
    await child.status;
  }
}

async function waitUntilReady(url: string): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    const status = await fetch(url).then((response) => response.text().then(() => response.status), () => undefined);
    if (status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new CommandError(`${url} did not respond with 200 within ${timeoutMs / 1000} s.`);
}

/** A login of the demo client at an issuer, whose ID token must name the issuer. */
async function logIn(issuer: string, redirect_uri: string): Promise<void> {
  // RFC 7636, Appendix B.
  const request = new URLSearchParams({
    ...{ response_type: "code", client_id: "demo-public", redirect_uri, scope: "openid" },
    ...{ code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256" },
  });
  const response = await fetch(`${issuer}/oauth2/authorize?${request}`, { redirect: "manual" });
  await response.body?.cancel();
  const code = new URL(response.headers.get("location") ?? issuer).searchParams.get("code") ?? "";
  const body = new URLSearchParams({
    ...{ grant_type: "authorization_code", client_id: "demo-public", redirect_uri, code },
    code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
  });
  const tokens = await (await fetch(`${issuer}/oauth2/token`, { method: "POST", body })).json();
  if (typeof tokens.id_token !== "string") {
    throw new CommandError(`The login at ${issuer} failed with ${JSON.stringify(tokens)}`);
  }
  const { iss } = JSON.parse(atob(tokens.id_token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/")));
  if (iss !== issuer) throw new CommandError(`Expected an ID token of ${issuer}, found the issuer ${iss}.`);
}

if (import.meta.main) {
  const { words: [path = "dist/latchkey"] } = readCommand({
    call: "deno run -A scripts/try_program.ts",
    does: "Tries a program before it is published: it prints its version, starts, and responds.",
    words: { value: "FILE", does: "the program; default: dist/latchkey" },
  });
  await tryProgram([resolve(path)], manifest.version).catch(exitWithError);
  console.log(`${path} starts and responds.`);
}
