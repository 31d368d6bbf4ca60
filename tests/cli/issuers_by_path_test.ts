/** The issuers of a configuration of mock-oauth2-server: the first segment of a path is one. */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify } from "jose";
import { basic, challenge, encode, forEachCase, verifier } from "../kit.ts";
import { readConfiguration } from "../../src/cli/read_config.ts";
import { runProgram, startProgram } from "../platform/runtime/run_program.ts";

const callback = (issuerId: string, tokenExpiry: number) => ({
  ...{ issuerId, tokenExpiry },
  requestMappings: [
    { requestParam: "grant_type", match: "*", claims: { tid: `tenant-of-${issuerId}` } },
    { requestParam: "subject", match: `user-of-${issuerId}` },
  ],
});

const config = {
  tokenProvider: { keyProvider: { algorithm: "EdDSA" } },
  tokenCallbacks: [callback("default", 120), callback("aad", 240)],
};

const redirect_uri = "http://localhost:3000/callback";

/** Runs a check against the program, and ends it. */
async function against(
  check: (origin: string, banner: string) => Promise<void>,
  { env, args = [] }: { readonly env?: Record<string, string>; readonly args?: readonly string[] } = {},
): Promise<void> {
  const program = await startProgram({
    args: ["--port", "0", ...args],
    env: { LATCHKEY_CONFIG_JSON: JSON.stringify(config), ...env },
  });
  try {
    await check(`http://localhost:${program.port}`, program.banner);
  } finally {
    program.signal("SIGKILL");
    await program.exited;
  }
}

async function getJson(url: string, init?: RequestInit) {
  const response = await fetch(url, init);
  assertEquals(response.status, 200, url);
  return await response.json();
}

const post = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  getJson(url, { method: "POST", body: new URLSearchParams(fields), headers });

/** A login at these endpoints by code. */
async function logIn(
  { authorization_endpoint }: { readonly authorization_endpoint: string },
  { token_endpoint }: { readonly token_endpoint: string },
) {
  const request = { response_type: "code", client_id: "web", redirect_uri, scope: "openid", state: "s" };
  const pkce = { code_challenge: challenge, code_challenge_method: "S256" };
  const url = `${authorization_endpoint}?${encode({ ...request, ...pkce })}`;
  const response = await fetch(url, { redirect: "manual" });
  await response.body?.cancel();
  const params = new URL(response.headers.get("location")!).searchParams;
  const code = params.get("code")!;
  const form = { grant_type: "authorization_code", client_id: "web", redirect_uri, code, code_verifier: verifier };
  return { iss: params.get("iss"), ...await post(token_endpoint, form) };
}

test("[OP-14] each issuer at a path, named or not, has its own metadata, keys, tokens and mappings", async () => {
  await against(async (origin, banner) => {
    assertStringIncludes(banner, `\nIssuers    ${origin}/default, ${origin}/aad, any other `);
    const opened = await Promise.all(["default", "aad", "other"].map(async (id) => {
      const issuer = `${origin}/${id}`;
      // The first requests to one that no callback names come at the same time.
      const [metadata, again, inserted] = await Promise.all([
        getJson(`${issuer}/.well-known/openid-configuration`),
        getJson(`${issuer}/.well-known/oauth-authorization-server`),
        getJson(`${origin}/.well-known/oauth-authorization-server/${id}`),
      ]);
      assertEquals([metadata.issuer, again.issuer, inserted.issuer], [issuer, issuer, issuer]);
      for (const [name, url] of Object.entries(metadata)) {
        if (/_endpoint$|_uri$/.test(name)) assert(String(url).startsWith(`${issuer}/`), `${name}: ${url}`);
      }
      const keys = createLocalJWKSet(await getJson(metadata.jwks_uri));
      const form = { grant_type: "client_credentials", scope: "api" };
      const machine = await post(metadata.token_endpoint, form, basic("job", "any"));
      const login = await logIn(metadata, metadata);
      return { id, issuer, metadata, keys, machine, login };
    }));
    await forEachCase(opened, async ({ id, issuer, metadata, keys, machine, login }) => {
      const options = { issuer, audience: issuer };
      const tid = id === "other" ? undefined : `tenant-of-${id}`;
      const [forMachine, forUser] = await Promise.all(
        [machine, login].map(async ({ access_token }) => (await jwtVerify(access_token, keys, options)).payload),
      );
      assertEquals([forMachine!.sub, forMachine!.tid], ["job", tid]);
      assertEquals([forUser!.sub, forUser!.tid], ["alice", tid]);
      const { payload } = await jwtVerify(login.id_token, keys, { issuer, audience: "web" });
      assertEquals([payload.sub, payload.tid, login.iss], ["alice", tid, issuer]);
      if (id !== "other") assertEquals(machine.expires_in, id === "aad" ? 240 : 120);
      const authorization = `Bearer ${login.access_token}`;
      assertEquals((await getJson(metadata.userinfo_endpoint, { headers: { authorization } })).sub, "alice");
      for (const other of opened) {
        if (other.id === id) continue;
        await assertRejects(() => jwtVerify(login.id_token, other.keys));
        const elsewhere = await fetch(other.metadata.userinfo_endpoint, { headers: { authorization } });
        assertEquals(elsewhere.status, 401);
        await elsewhere.body?.cancel();
        const refresh = { grant_type: "refresh_token", client_id: "web", refresh_token: String(login.refresh_token) };
        const body = new URLSearchParams(refresh);
        const rejected = await fetch(other.metadata.token_endpoint, { method: "POST", body });
        assertEquals([rejected.status, (await rejected.json()).error], [400, "invalid_grant"]);
      }
    });
  });
});

test("[OP-14] initialKeys is the key that each issuer signs with, under the name of the issuer", async () => {
  const { privateKey, publicKey: key } = await generateKeyPair("EdDSA", { extractable: true });
  const initialKeys = JSON.stringify({ ...await exportJWK(privateKey), kid: "initialkey-1" });
  const withKeys = (algorithm: string) => ({
    LATCHKEY_CONFIG_JSON: JSON.stringify({ ...config, tokenProvider: { keyProvider: { algorithm, initialKeys } } }),
  });
  await against(async (origin) => {
    for (const id of ["default", "other"]) {
      const issuer = `${origin}/${id}`;
      const { access_token } = await post(
        `${issuer}/token`,
        { grant_type: "client_credentials", scope: "api" },
        basic("job", "any"),
      );
      const { protectedHeader } = await jwtVerify(access_token, key);
      assertEquals(protectedHeader.kid, id);
    }
  }, { env: withKeys("EdDSA") });
  await against(async (origin) => {
    const { keys } = await (await fetch(`${origin}/default/jwks`)).json();
    // No key is generated beside it.
    assertEquals(keys.map(({ kid }: { kid: string }) => kid), ["default"]);
  }, { env: withKeys("EdDSA") });
  const { code, stderr } = await runProgram({ args: ["--port", "0"], env: withKeys("ES256") });
  assertEquals(code, 1);
  assertMatch(
    stderr,
    /initialKeys[^]*Expected a private key for ES256 \(kty "EC", crv "P-256"\), found a key with kty "OKP"/,
  );
});

test("[OP-14] what is no endpoint below a segment makes no issuer, and there are at most 50", async () => {
  await against(async (origin) => {
    const statusOf = async (path: string, init?: RequestInit) => {
      const response = await fetch(origin + path, { redirect: "manual", ...init });
      return { status: response.status, text: await response.text() };
    };
    // A page of another site can open URLs, and adds none. A page on this machine, and any page at an issuer that
    // exists, is served.
    const site = (site: string, referer: string) => ({ headers: { "sec-fetch-site": site, referer } });
    const [foreign, local] = [site("cross-site", "https://evil.example/"), site("same-site", "http://localhost:3000/")];
    for (const path of ["jwks", ".well-known/openid-configuration", "authorize", "token"]) {
      assertEquals((await statusOf(`/foreign-${path.at(-1)}/${path}`, foreign)).status, 403, path);
    }
    for (const [id, init] of [["default", foreign], ["of-page", local]] as const) {
      assertEquals((await statusOf(`/${id}/jwks`, init)).status, 200, id);
    }
    for (const path of ["/robots.txt", "/x/y", "/x", "/x/", "/flows/token", "/authorize/token", "/a%20b/jwks"]) {
      assertEquals((await statusOf(path)).status === 200, false, path);
    }
    // Two are named, and a page has opened one.
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async (_, i) => (await statusOf(`/n${i}/.well-known/openid-configuration`)).status),
    );
    assertEquals([200, 404].map((status) => statuses.filter((one) => one === status).length), [47, 13]);
    const { status, text } = await statusOf("/one-more/token");
    assertEquals(status, 404);
    assertMatch(text, /50 issuers, the maximum/);
    for (const path of ["/default", "/aad", ""]) assertEquals((await statusOf(`${path}/jwks`)).status, 200);
  });
});

test("[OP-14, OP-12] with from-host an issuer at a path has several names", async () => {
  await against(async (origin) => {
    const at = (base: string) => getJson(`${base}/aad/.well-known/openid-configuration`);
    const other = origin.replace("localhost", "127.0.0.1");
    const [first, second] = await Promise.all([at(origin), at(other)]);
    assertEquals([first.issuer, second.issuer], [`${origin}/aad`, `${other}/aad`]);
    const login = await logIn(first, second);
    const keys = createLocalJWKSet(await getJson(second.jwks_uri));
    await jwtVerify(login.id_token, keys, { issuer: `${other}/aad`, audience: "web" });
  }, { env: { LATCHKEY_ISSUER: "from-host" } });
});

test("[OP-14] each issuer at a path has its own control, and a default user", async () => {
  await against(async (origin) => {
    const mint = async (id: string) => {
      const headers = { "content-type": "application/json" };
      const init = { method: "POST", body: JSON.stringify({ sub: "bob" }), headers };
      const minted = await getJson(`${origin}/${id}/_control/mint/accessToken`, init);
      const keys = createLocalJWKSet(await getJson(`${origin}/${id}/jwks`));
      const token = typeof minted === "string" ? minted : minted.access_token ?? minted.token;
      assertEquals((await jwtVerify(token, keys, { issuer: `${origin}/${id}` })).payload.sub, "bob");
    };
    await forEachCase(["default", "unnamed"], mint);
    const metadata = await getJson(`${origin}/aad/.well-known/openid-configuration`);
    const keys = createLocalJWKSet(await getJson(metadata.jwks_uri));
    const { payload } = await jwtVerify((await logIn(metadata, metadata)).id_token, keys);
    assertEquals(payload.sub, "user-of-aad");
  }, { args: ["--control", "on", "--user", "user-of-aad"] });
});

test("[OP-14, HT-01] started bare, a path of mock-oauth2-server is 404 that names its configuration, which works", async () => {
  const paths = ["/default/.well-known/openid-configuration", "/default/jwks", "/default/token", "/default/authorize"];
  const bare = await startProgram({ args: ["--port", "0"] });
  let proposed = "";
  try {
    for (const path of [...paths, "/.well-known/oauth-authorization-server/default", "/default/isalive", "/default"]) {
      const response = await fetch(`http://localhost:${bare.port}${path}`);
      const { error_description } = await response.json();
      assertEquals(response.status, 404, path);
      assertStringIncludes(error_description, "LATCHKEY_CONFIG_JSON", path);
      assertEquals(error_description.includes("Did you mean"), false, path);
    }
    const page = await fetch(`http://localhost:${bare.port}${paths[0]}`, { headers: { accept: "text/html" } });
    proposed = /LATCHKEY_CONFIG_JSON=(?:'|&#39;|&#x27;)(\{.*?\})(?:'|&#39;|&#x27;)/.exec(await page.text())![1]!
      .replaceAll("&quot;", '"');
    // Other paths still get the endpoint that was meant.
    const other = await (await fetch(`http://localhost:${bare.port}/defaults/userinfo`)).json();
    assertStringIncludes(other.error_description, "Did you mean");
  } finally {
    bare.signal("SIGKILL");
    await bare.exited;
  }
  await against(async (origin) => {
    const { issuer, jwks_uri } = await getJson(origin + paths[0]);
    assertEquals([issuer, jwks_uri], [`${origin}/default`, `${origin}/default/jwks`]);
    const minted = await fetch(`${issuer}/_control/mint/accessToken`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    assertEquals(minted.status, 200);
    await minted.body?.cancel();
  }, { env: { LATCHKEY_CONFIG_JSON: proposed }, args: ["--control", "on"] });
});

test("[OP-14] a server whose issuer has a path has that issuer alone", async () => {
  await against(async (origin, banner) => {
    assert(!/^Issuers /m.test(banner), banner);
    const response = await fetch(`${origin}/aad/.well-known/openid-configuration`);
    assertEquals(response.status, 404);
    await response.body?.cancel();
  }, { env: { LATCHKEY_ISSUER: "http://localhost:8080/default" } });
});

test("[OP-14] issuers that the configuration names and the server does not have are a warning", async () => {
  const cases: readonly (readonly [args: readonly string[], named: string | undefined])[] = [
    [[], undefined],
    [["--issuer", "http://localhost:8080/default"], "aad, because the server's own issuer has a path: /default."],
    [
      ["--issuer", "http://localhost:8080/other"],
      "default or aad, because the server's own issuer has a path: /other.",
    ],
    [["--profile", "keycloak"], "default or aad, because the server's own issuer has a path: /realms/myrealm."],
  ];
  await forEachCase(cases, async ([args, named]) => {
    const env = { LATCHKEY_CONFIG_JSON: JSON.stringify(config) };
    const found = await readConfiguration({ args, env, readTextFile: () => Promise.reject(new Error("none")) });
    assert(found.kind === "run");
    const messages = found.warnings.filter(({ path }) => path === "LATCHKEY_CONFIG_JSON: tokenCallbacks");
    assertEquals(
      messages.map(({ message }) => /There is no issuer (.*?\.)(?= For)/.exec(message)?.[1]),
      named ? [named] : [],
    );
  });
});
