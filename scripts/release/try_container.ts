/** Tests a container as its users run it: ready, healthy, and a login under each name of the machine. */

import { findFreePort } from "../../tests/platform/runtime/free_port.ts";
import { CommandError } from "../command.ts";
import { getCleanEnvironment, run, succeeds } from "../run.ts";

/** Milliseconds after which a container counts as hung. */
const timeoutMs = 120_000;

/**
 * Starts the program with `issuer: "from-host"`, and stops it in the end.
 *
 * @param command Runs the program in a container, in the network of this machine.
 * @returns Milliseconds until the server was ready, and for `--version`, which starts a container too.
 */
export async function tryContainer(
  command: readonly string[],
): Promise<{ readonly readyMs: number; readonly versionMs: number }> {
  const started = performance.now();
  await run([...command, "--version"]);
  const versionMs = performance.now() - started;
  const port = await findFreePort();
  const flags = ["--port", String(port), "--issuer", "from-host", "--log", "off"];
  const health = [...command, "health", ...flags];
  if (await succeeds(health)) throw new CommandError(`Without a server, ${health.join(" ")} succeeded.`);
  const [program, ...args] = [...command, ...flags];
  const startedAt = performance.now();
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
    const readyMs = performance.now() - startedAt;
    await run(health);
    for (const host of ["localhost", "127.0.0.1"]) {
      await logIn(`http://${host}:${port}`, `http://localhost:${port}/authorized`);
    }
    return { readyMs, versionMs };
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
