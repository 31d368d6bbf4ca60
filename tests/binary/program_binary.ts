/**
 * The program as one file, in an empty folder and with nothing in the environment: what it says, a whole flow, its
 * pages.
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { createLocalJWKSet, jwtVerify } from "jose";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import manifest from "../../deno.json" with { type: "json" };
import { basic, challenge, encode, type Fields, verifier } from "../kit.ts";
import { runProgram, type StartOptions, startProgram } from "../platform/runtime/run_program.ts";
import {
  dropPostgresSchemas,
  dropRedisPrefixes,
  postgresUrl,
  redisUrl,
  uniqueName,
} from "../platform/store/servers.ts";

const cwd = mkdtempSync(join(tmpdir(), "latchkey-binary-"));
after(() => rmSync(cwd, { recursive: true }));

/** Runs a check against the program, and stops it by a signal. */
async function against(start: StartOptions, check: (url: string) => Promise<void>): Promise<void> {
  const program = await startProgram({ cwd, ...start, args: ["--port", "0", ...start.args ?? []] });
  try {
    await check(program.banner.split("\n", 1)[0]!.split(" ").at(-1)!);
  } finally {
    program.signal("SIGTERM");
  }
  const { code, stderr } = await program.exited;
  assertEquals(code, 0, stderr);
}

function get(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { redirect: "manual", ...init });
}

const asConfidential = basic("demo-confidential", "demo-secret");

function post(url: string, fields: Fields, headers: Record<string, string> = {}): Promise<Response> {
  return get(url, {
    method: "POST",
    body: encode(fields),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  });
}

/** An authorization request of a demo client, and the fields of the token request for its code. */
async function authorize(url: string, client_id: string): Promise<Fields> {
  const redirect_uri = `${url}/authorized`;
  const request = {
    response_type: "code",
    client_id,
    redirect_uri,
    scope: "openid profile read offline_access",
    state: "st4te",
    nonce: "n0nce",
    code_challenge: challenge,
    code_challenge_method: "S256",
  };
  const result = await get(`${url}/oauth2/authorize?${encode(request)}`);
  const { searchParams } = new URL(result.headers.get("location")!);
  assertEquals([searchParams.get("state"), searchParams.get("iss")], ["st4te", url]);
  return { grant_type: "authorization_code", code: searchParams.get("code")!, redirect_uri, code_verifier: verifier };
}

/** From the authorization request to the end of the grant, as a confidential client goes. */
async function wholeFlow(url: string): Promise<void> {
  const token = `${url}/oauth2/token`;
  const exchange = await authorize(url, "demo-confidential");
  const tokens = await (await post(token, exchange, asConfidential)).json();
  assertEquals(tokens.token_type, "Bearer", JSON.stringify(tokens));

  const keys = createLocalJWKSet(await (await get(`${url}/oauth2/jwks`)).json());
  const { payload } = await jwtVerify(tokens.id_token, keys, { issuer: url, audience: "demo-confidential" });
  assertEquals([payload.sub, payload.nonce], ["alice", "n0nce"]);
  const bearer = { authorization: `Bearer ${tokens.access_token}` };
  assertEquals((await (await get(`${url}/oauth2/userinfo`, { headers: bearer })).json()).name, "Alice Adams");
  const introspect = async (token: string) =>
    (await (await post(`${url}/oauth2/introspect`, { token }, asConfidential)).json()).active;
  assertEquals(await introspect(tokens.access_token), true);

  const refresh = { grant_type: "refresh_token", refresh_token: tokens.refresh_token };
  const second = await (await post(token, refresh, asConfidential)).json();
  assertEquals(await introspect(second.access_token), true, JSON.stringify(second));
  // A replayed code revokes its grant.
  assertEquals((await (await post(token, exchange, asConfidential)).json()).error, "invalid_grant");
  assertEquals(await introspect(second.access_token), false);
}

test("it prints its version and commit, and its help", async () => {
  const logged = await runProgram({ args: ["--version"], cwd });
  assertEquals([logged.code, logged.stderr], [0, ""]);
  assertMatch(logged.stdout, /^latchkey \d+\.\d+\.\d+\S* \([0-9a-f]{7,40}(-dirty)?\)\n$/);
  assertStringIncludes(logged.stdout, `latchkey ${manifest.version} `);
  const help = await runProgram({ args: ["--help"], cwd });
  assertEquals([help.code, help.stderr], [0, ""]);
  assertMatch(help.stdout, /^Usage: latchkey /m);
});

test("it contains all licences: ours, each package's in full, the runtime's", async () => {
  const { code, stdout, stderr } = await runProgram({ args: ["--licenses"], cwd });
  assertEquals([code, stderr], [0, ""]);
  const [own, ...others] = stdout.split(/^(?=(?:@[\w-]+\/)?[\w.-]+ \d+\.\d+\.\d+\S*\n\n)/m);
  assertMatch(own!, /^MIT License\n[^]*Latchkey[^]*WITHOUT WARRANTY OF ANY KIND/);
  const texts = new Map(others.map((text) => [text.split(" ", 1)[0]!, text]));
  const imported = [manifest.imports, manifest.scopes["./src/platform/store/"]].flatMap((names) => Object.keys(names))
    .filter((name) => !name.endsWith("/"));
  assert(imported.length > 5);
  // What they bring with them, for example.
  for (const name of [...imported, "@ioredis/commands", "redis-errors", "denque"]) {
    const text = texts.get(name);
    assert(text !== undefined, `${name} is missing`);
    assertMatch(text, / (?:WITHOUT|WITHOUT ANY) WARRANT|Licence: Unlicense, https:/, name);
  }
  assertMatch(others.at(-1)!, /^(Bun|Node\.js|Deno) [^]*https:\/\/\S+\n$/);
});

test("an unknown flag ends it with exit code 1 and a sentence", async () => {
  const { code, stdout, stderr } = await runProgram({ args: ["--prot", "1"], cwd });
  assertEquals([code, stdout], [1, ""]);
  assertMatch(stderr, /Did you mean --port\?\n$/);
});

test("the whole flow works: code, PKCE, tokens, keys, userinfo, introspection, refresh, replay", async () => {
  await against({}, async (url) => {
    await wholeFlow(url);
    const fields = { ...await authorize(url, "demo-public"), client_id: "demo-public" };
    const wrong = await post(`${url}/oauth2/token`, { ...fields, code_verifier: "A".repeat(43) });
    assertMatch((await wrong.json()).error_description, /\[PK-09\]/);
  });
  assertEquals(readdirSync(cwd), [], "it leaves nothing behind");
});

test("every page is included, with styles, scripts and icon", async () => {
  await against({}, async (url) => {
    const started = await get(`${url}/start`);
    const callback = await get(new URL(started.headers.get("location")!, url).href);
    const pages = ["/", callback.headers.get("location")!, "/clients", "/users", "/flows"];
    const assets = new Set<string>();
    const shown = async (path: string) => {
      const response = await get(new URL(path, url).href);
      const text = await response.text();
      assertEquals([path, response.status, response.headers.get("content-type")], [
        path,
        200,
        "text/html; charset=utf-8",
      ]);
      assertMatch(text, /<h1/);
      for (const [, asset] of text.matchAll(/(?:href|src)="(\/[^"]+\.\w+)"/g)) assets.add(asset!);
      return text;
    };
    for (const path of pages) await shown(path);
    const [, flow] = /href="(\/flows\/\d+)"/.exec(await shown("/flows"))!;
    await shown(flow!);
    await shown("/clients/demo-public");
    const kinds: Readonly<Record<string, string>> = {
      css: "text/css; charset=utf-8",
      js: "text/javascript; charset=utf-8",
      svg: "image/svg+xml",
    };
    const kindOf = (path: string) => path.split(".").at(-1)!;
    const parts = [...assets].filter((path) => Object.hasOwn(kinds, kindOf(path)));
    assertEquals([...new Set(parts.map(kindOf))].sort(), Object.keys(kinds));
    for (const path of parts) {
      const response = await get(url + path);
      const type = response.headers.get("content-type");
      assertEquals([path, response.status, type], [path, 200, kinds[kindOf(path)]]);
      assert((await response.text()).length > 100, path);
    }
  });
});

const name = uniqueName();
after(async () => {
  if (postgresUrl !== undefined) await dropPostgresSchemas(postgresUrl, [name]);
  if (redisUrl !== undefined) await dropRedisPrefixes(redisUrl, [name]);
});
const stores = [
  ["SQLite", "sqlite:kept.db"],
  ["PostgreSQL", postgresUrl && `${postgresUrl}?schema=${name}`],
  ["Redis", redisUrl && `${redisUrl}?prefix=${name}`],
] as const;

for (const [kind, store] of stores) {
  const skip = store === undefined;
  test(`a whole flow is stored in ${kind}, and acknowledged writes survive kill -9`, { skip }, async () => {
    const args = ["--issuer", "http://kept.test", "--store", store!, "--port", "0"];
    const first = await startProgram({ args, cwd });
    const url = `http://localhost:${first.port}`;
    const request = {
      response_type: "code",
      client_id: "demo-public",
      redirect_uri: "http://kept.test/authorized",
      code_challenge: challenge,
      code_challenge_method: "S256",
    };
    const result = await get(`${url}/oauth2/authorize?${encode(request)}`);
    const code = new URL(result.headers.get("location")!).searchParams.get("code")!;
    const keys = await (await get(`${url}/oauth2/jwks`)).text();
    first.signal("SIGKILL");
    await first.exited;

    const second = await startProgram({ args, cwd });
    const again = `http://localhost:${second.port}`;
    assertEquals(await (await get(`${again}/oauth2/jwks`)).text(), keys);
    const { redirect_uri, client_id } = request;
    const fields = { grant_type: "authorization_code", client_id, redirect_uri, code, code_verifier: verifier };
    const tokens = await (await post(`${again}/oauth2/token`, fields)).json();
    assertEquals(tokens.token_type, "Bearer", JSON.stringify(tokens));
    second.signal("SIGTERM");
    assertEquals((await second.exited).code, 0);
  });
}
