/** Starts of the program, and requests to it. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { challenge, encode, type Fields, verifier } from "../../kit.ts";
import { type Program, runProgram, type StartOptions, startProgram } from "./run_program.ts";

/** The files of the tests. */
export const folder = mkdtempSync(join(tmpdir(), "latchkey-program-"));
after(() => rmSync(folder, { recursive: true }));

/** Writes a file and gives its path. */
export function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

/** Runs a check against the program, and ends it. */
export async function against(
  start: StartOptions,
  check: (program: Program, url: string) => Promise<void>,
): Promise<void> {
  const program = await startProgram({ ...start, args: ["--port", "0", ...start.args ?? []] });
  try {
    await check(program, `http://localhost:${program.port}`);
  } finally {
    program.signal("SIGKILL");
    await program.exited;
  }
}

export function get(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { redirect: "manual", ...init });
}

export function post(url: string, fields: Fields, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    body: encode(fields),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  });
}

/** An authorization request, and the token request that follows it. */
export const spaRequest: Fields = {
  response_type: "code",
  client_id: "spa",
  redirect_uri: "http://localhost:5173/cb",
  scope: "openid read",
  code_challenge: challenge,
  code_challenge_method: "S256",
};
export const spaToken: Fields = {
  grant_type: "authorization_code",
  client_id: "spa",
  redirect_uri: "http://localhost:5173/cb",
  code_verifier: verifier,
};

export async function codeOf(url: string, fields: Fields = {}): Promise<string> {
  const response = await get(`${url}/oauth2/authorize?${encode({ ...spaRequest, ...fields })}`);
  return new URL(response.headers.get("location")!).searchParams.get("code")!;
}

export const ownClients = {
  alg: "ES256",
  clients: [
    { client_id: "spa", redirect_uris: ["http://localhost:5173/cb"] },
    { client_id: "web", client_secret: "web-secret-web-secret", redirect_uris: ["http://localhost:3000/cb"] },
  ],
  users: [{ sub: "carol", name: "Carol Clark" }, { sub: "dave" }],
};

/** Asserts that a start is rejected with exit code 1, complete sentences, and no internals. */
export async function rejected(start: StartOptions, ...expected: readonly RegExp[]): Promise<void> {
  const { code, stdout, stderr } = await runProgram(start);
  assertEquals([code, stdout], [1, ""], stderr);
  assert(!/^\s+at |Error\b|file:\/\/|\.[mt]s:\d+|node:|ext:|Uncaught/m.test(stderr), stderr);
  for (const pattern of expected) assertMatch(stderr, pattern);
  assertMatch(stderr, /[.?]\n$/);
}
