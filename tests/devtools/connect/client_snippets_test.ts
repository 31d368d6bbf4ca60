/**
 * The settings that a client's page offers: run with the libraries they are for, and read as their languages read them.
 */

import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { execFile } from "node:child_process";
import process from "node:process";
import { after, test } from "node:test";
import { parseEnv, promisify } from "node:util";
import { exportJWK, generateKeyPair } from "jose";
import * as mcp from "@modelcontextprotocol/client";
import * as oauth4webapi from "oauth4webapi";
import * as oidcClientTs from "oidc-client-ts";
import * as openidClient from "openid-client";
import OAuth2Strategy from "passport-oauth2";
import type { ClientDemand } from "../../../src/devtools/connect/client_snippets/library.ts";
import type { ClientMetadata, Latchkey } from "../../../src/mod.ts";
import { authJsApplication, loginWithPassport } from "../../server/applications.ts";
import { clients, hostileTexts, leads, redirect_uris, run, secret, settingsOf } from "./client_snippets.ts";
import { forEachCase } from "../../kit.ts";
import { latchkey } from "../../secret_leak_check.ts";

const shell = process.platform === "win32" ? undefined : "sh";

const opened: Latchkey[] = [];
after(() => Promise.all(opened.map((as) => as.close())));

async function serve(): Promise<Latchkey> {
  const as = await latchkey({ clients });
  opened.push(as);
  await as.listen({ port: 0 });
  return as;
}

for (const [library, module] of Object.entries({ "openid-client": openidClient, oauth4webapi })) {
  test(`[DI-05] the settings for ${library} log a user in with every authentication method`, async () => {
    const as = await serve();
    await forEachCase(clients.filter(({ client_id }) => client_id !== "machine"), async ({ client_id }) => {
      const { text } = settingsOf(as, client_id).get(library)!;
      const { begin, finish } = await run(text!, { [library]: module });
      const { url, kept } = await begin();
      const { tokens, user } = await finish(new URL(await leads(url)), kept);
      assertEquals([user.name, user.email], ["Alice Adams", "alice@example.com"]);
      assertEquals([tokens.scope, typeof tokens.id_token], ["openid profile email", "string"]);
    });
    const { text } = settingsOf(as, "machine").get(library)!;
    const { tokens } = await run(text!, { [library]: module }, ["tokens"]);
    assertEquals(tokens.scope, "read write");
  });
}

/** What the server may demand of a client, what the notes for two libraries then name, and what else supports it. */
const demanding: readonly (readonly [ClientDemand, ClientMetadata, functions: readonly string[], others: string[]])[] =
  [
    [
      "par",
      { client_id: "pushing", redirect_uris, require_pushed_authorization_requests: true },
      ["buildAuthorizationUrlWithPAR", "pushedAuthorizationRequest"],
      ["ASP.NET Core", "curl", ".env"],
    ],
    [
      "jar",
      { client_id: "signing", redirect_uris, require_signed_request_object: true },
      ["buildAuthorizationUrlWithJAR", "issueRequestObject"],
      [".env"],
    ],
    [
      "jarm",
      { client_id: "reading", redirect_uris, response_modes: ["jwt"] },
      ["useJwtResponseMode", "validateJwtAuthResponse"],
      [".env"],
    ],
    [
      "dpop",
      { client_id: "bound", redirect_uris, dpop_bound_access_tokens: true },
      ["getDPoPHandle", "generateKeyPair"],
      [".env"],
    ],
  ];

test("[DI-05, PA-07, JR-05, JM-06, DO-06] settings say how to push, sign and bind where the server demands it", async () => {
  const jwks = { keys: [{ ...await exportJWK((await generateKeyPair("ES256")).publicKey), alg: "ES256" }] };
  const as = await latchkey({
    responseModes: ["query", "jwt"],
    clients: demanding.map(([demand, client]) => demand === "jar" ? { ...client, jwks } : client),
  });
  opened.push(as);
  await as.listen({ port: 0 });
  await forEachCase(demanding, async ([demand, { client_id }, functions, others]) => {
    const libraries = ["openid-client", "oauth4webapi"];
    const settings = settingsOf(as, client_id, [demand]);
    for (const [at, library] of libraries.entries()) {
      const { text, notes } = settings.get(library)!;
      assertEquals([typeof text, notes.length], ["string", 1]);
      assertStringIncludes(notes[0]!, functions[at]!);
      // The page of the client has the same settings.
      const page = await (await fetch(`${as.issuer}/clients/${client_id}?connect=${library}`)).text();
      assertStringIncludes(page, functions[at]!);
    }
    const fit = [...settings.values()].filter(({ text }) => text !== undefined).map(({ library }) => library);
    assertEquals(fit, [...libraries, ...others]);
    assertEquals(settings.get("Go")!.notes.length, 1);
  });
});

test("[DI-05] the settings for oidc-client-ts log a user in, with the name, and exist for public clients only", async () => {
  const as = await serve();
  /** As in a browser, but for its storage. */
  class UserManager extends oidcClientTs.OidcClient {
    constructor(settings: oidcClientTs.OidcClientSettings) {
      const store = new oidcClientTs.InMemoryWebStorage();
      super({ ...settings, stateStore: new oidcClientTs.WebStorageStateStore({ store }) });
    }
  }
  const { manager } = await run(settingsOf(as, "none").get("oidc-client-ts")!.text!, {
    "oidc-client-ts": { UserManager },
  });
  const { url } = await manager.createSigninRequest({});
  const response = await manager.processSigninResponse(await leads(url));
  assertEquals([response.profile.name, response.scope], ["Alice Adams", "openid profile email"]);
  for (const id of ["client_secret_basic", "client_secret_post", "machine"]) {
    const { text, notes } = settingsOf(as, id).get("oidc-client-ts")!;
    assertEquals([text, notes.length], [undefined, 1]);
  }
});

test("[DI-05] the settings for Passport log a user in with the methods that it supports", async () => {
  const as = await serve();
  for (const id of ["none", "client_secret_post", "unnamed"]) {
    const text = settingsOf(as, id).get("Passport")!.text!;
    assertEquals(text.includes("sends an empty client_secret"), text.includes(`clientSecret: ""`), id);
    const { strategy } = await run(text, { "passport-oauth2": OAuth2Strategy });
    const outcome = await loginWithPassport(strategy);
    assert("user" in outcome, JSON.stringify(outcome));
    assertEquals((outcome.user.user as { name?: string }).name, "Alice Adams");
    const tokens = outcome.user.tokens as { token_type: string; scope: string };
    assertEquals([tokens.token_type, tokens.scope], ["Bearer", "openid profile email"]);
  }
  const { text, notes } = settingsOf(as, "client_secret_basic").get("Passport")!;
  assertEquals(text, undefined);
  assertStringIncludes(notes[0]!, "client_secret_post");
});

test("[DI-05] the settings for Auth.js log a user in, with the name, with the methods that it supports", async () => {
  const as = await serve();
  await forEachCase(["none", "client_secret_basic", "client_secret_post"], async (id) => {
    const { text } = settingsOf(as, id).get("Auth.js")!;
    const { providers } = await run(text!, {});
    const app = authJsApplication(providers);
    assertEquals(await app.logIn(), { name: "Alice Adams", email: "alice@example.com" });
  });
  assertStringIncludes(settingsOf(as, "none").get("Auth.js")!.notes[0]!, "/api/auth/callback/latchkey");
});

test("[DI-05] the settings for the MCP SDK log a user in and a machine, with the methods that it supports", async () => {
  const as = await serve();
  const modules = { "@modelcontextprotocol/client": mcp };
  // Nothing describes this resource, so the SDK takes the server of its origin.
  const serverUrl = `${as.issuer}/mcp`;
  await forEachCase(["none", "client_secret_basic", "unnamed", "client_secret_post"], async (id) => {
    const { authProvider, connect } = await run(settingsOf(as, id).get("MCP TypeScript SDK")!.text!, modules);
    assert(connect(serverUrl) instanceof mcp.StreamableHTTPClientTransport);
    const urls: URL[] = [];
    authProvider.redirectToAuthorization = (url: URL) => urls.push(url);
    assertEquals(await mcp.auth(authProvider, { serverUrl, scope: "read" }), "REDIRECT");
    const { searchParams } = new URL(await leads(urls[0]!));
    const [authorizationCode, iss] = [searchParams.get("code")!, searchParams.get("iss")!];
    assertEquals(await mcp.auth(authProvider, { serverUrl, authorizationCode, iss }), "AUTHORIZED");
    assertEquals(authProvider.tokens().scope, "read");
  });
  const { authProvider } = await run(settingsOf(as, "machine").get("MCP TypeScript SDK")!.text!, modules);
  assertEquals(await mcp.auth(authProvider, { serverUrl }), "AUTHORIZED");
  assertEquals(authProvider.tokens().scope, "read write");
  const { text, notes } = settingsOf(as, "client_secret_jwt").get("MCP TypeScript SDK")!;
  assertEquals([text, notes.length], [undefined, 1]);
});

test("[DI-05] the shell commands get tokens when pasted unchanged", { skip: shell === undefined }, async () => {
  const as = await serve();
  const paste = async (text: string) => {
    const { stdout } = await promisify(execFile)(shell!, ["-c", `set -e\n${text} -sS`]);
    return stdout;
  };
  await forEachCase(["none", "client_secret_basic", "client_secret_post", "machine"], async (id) => {
    const { scope } = JSON.parse(await paste(settingsOf(as, id).get("curl")!.text!));
    assertEquals(scope, id === "machine" ? "read write" : "openid profile email");
    // `latchkey exec` names the issuer in a variable.
    const elsewhere = settingsOf(as, id).get("curl")!.text!.replace(as.issuer, "http://localhost:1");
    await paste(`OIDC_ISSUER=${as.issuer}\n${elsewhere}`);
  });
  // A rejection is shown: in the redirect, or in a response to the shell.
  const stderrOf = async (text: string) => (await promisify(execFile)(shell!, ["-c", text])).stderr;
  const withScope = settingsOf(as, "none").get("curl")!.text!.replace(/scope=openid[^']*/, "scope=nothing");
  assertMatch(await stderrOf(withScope), /No code: \S+[?&]error=invalid_scope&error_description=/);
  const withId = settingsOf(as, "none").get("curl")!.text!.replaceAll("client_id=none", "client_id=nothing");
  assertMatch(await stderrOf(withId), /No code: .*"error":"invalid_request"/);
  // If the user has to log in first, the URL is printed, and the last command waits for the code.
  const { text } = settingsOf(as, "none").get("curl")!;
  const [begin, end] = text!.split("\ncurl ");
  const interactive = begin!.replace("\ncode=", "\ncode=;");
  const [, url] = /\nOpen (\S+)\n/.exec(await stderrOf(interactive))!;
  const code = new URL(await leads(url!)).searchParams.get("code");
  assertNotEquals(code, null);
  const verifier = "verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
  const [issuer] = begin!.split("\n");
  const response = JSON.parse(await paste(`${issuer}\n${verifier}\ncode=${code}\ncurl ${end}`));
  assertEquals(response.error, "invalid_grant", "the verifier is another one here");
});

test(
  "[DI-05, UI-03] a shell and Node read the values of .env unchanged; texts that readers replace get none",
  { skip: shell === undefined },
  async () => {
    const as = await latchkey({ issuer: "https://as.test", clients: [] });
    const settings = (text: string) => {
      as.clients.set({
        client_id: text,
        client_secret: text,
        redirect_uris,
        token_endpoint_auth_method: "client_secret_post",
      });
      return settingsOf(as, text, [], text).get(".env")!.text;
    };
    assertEquals(settings("plain")!.includes("OIDC_SCOPE='openid profile email'"), true);
    await forEachCase(hostileTexts, async (value) => {
      const text = settings(value);
      // dotenv-expand replaces $ in quoted values too; readers differ about escapes.
      if (/[$\\]/.test(value) || value.includes("'") && /["`]/.test(value)) return assertEquals(text, undefined);
      const print = `printf '%s\\n' "$OIDC_ISSUER" "$OIDC_CLIENT_ID" "$OIDC_CLIENT_SECRET" "$OIDC_REDIRECT_URI"`;
      const { stdout } = await promisify(execFile)(shell!, ["-c", `set -eu\n${text}\n${print}`]);
      assertEquals(stdout.split("\n"), ["https://as.test", value, value, redirect_uris[0]!, ""]);
      const parsed = parseEnv(text!);
      assertEquals([parsed.OIDC_CLIENT_ID, parsed.OIDC_CLIENT_SECRET], [value, value]);
    });
  },
);

test("[DI-05] no placeholder is left in the settings, which read the issuer from a variable where there are some", async () => {
  const as = await latchkey({ issuer: "https://as.test", clients });
  for (const { client_id } of clients) {
    for (const { library, text = "", notes } of settingsOf(as, client_id).values()) {
      assertEquals(/\{\{\w|undefined/.test((text + notes).replace("  undefined,", "")), false, library);
      const hasIssuer = text.includes("https://as.test") && library !== "oidc-client-ts";
      assertEquals(text.includes("OIDC_ISSUER"), hasIssuer, library);
    }
  }
});

/** One literal in double quotes, as all of these languages read it. */
const literals = /"(?:[^"\\\n]|\\.)*"/g;

const codeLibraries = [
  ...["openid-client", "oauth4webapi", "Auth.js", "oidc-client-ts", "MCP TypeScript SDK", "Passport"],
  ...["express-openid-connect", "Spring Boot", "ASP.NET Core", "Go", "Python"],
];

test("[DI-05, UI-03] a hostile id or secret is one literal in each language and does not change the code around it", async () => {
  const as = await latchkey({ issuer: "https://as.test", clients: [] });
  const settings = (text: string, method: "none" | "client_secret_post") => {
    as.clients.set({
      client_id: text,
      redirect_uris: [`https://app.example/login/oauth2/code/latchkey?a=%27$(id)`],
      ...method !== "none" && { client_secret: text, token_endpoint_auth_method: method },
    });
    return settingsOf(as, text, [], text);
  };
  for (const method of ["none", "client_secret_post"] as const) {
    const tame = settings("TAME", method);
    await forEachCase(hostileTexts, (text) => {
      const wild = settings(text, method);
      for (const library of codeLibraries) {
        const [before, after] = [tame.get(library)!.text, wild.get(library)!.text];
        // Spring replaces what stands between ${ and }, so such a text gets none.
        if (library === "Spring Boot" && text.includes("${")) {
          assertEquals(after, undefined);
          continue;
        }
        assertEquals(before === undefined, after === undefined, library);
        if (before === undefined || after === undefined) continue;
        assertEquals(after.replace(literals, "L"), before.replace(literals, "L"), library);
        const values = (code: string): unknown[] => code.match(literals)!.map((one) => JSON.parse(one));
        assertEquals(values(after), values(before).map((value) => value === "TAME" ? text : value), library);
        assert(values(after).includes(text), library);
      }
    });
  }
});

test(
  "[DI-05, UI-03] a hostile id or secret is a part of one shell word and runs nothing",
  { skip: shell === undefined },
  async () => {
    const as = await latchkey({ issuer: "https://as.test", clients: [] });
    await forEachCase(hostileTexts, async (value) => {
      as.clients.set({ client_id: value, client_secret: value, grant_types: ["client_credentials"] });
      const { text } = settingsOf(as, value, [], value).get("curl")!;
      const { stdout } = await promisify(execFile)(shell!, ["-c", `curl() { printf '%s\\n' "$@"; }\n${text}`]);
      const words = stdout.trimEnd().split("\n");
      assertEquals(words.length, 7);
      assertEquals(words[2]!.split(":").map(decodeURIComponent), [value, value]);
    });
  },
);

/** Fails where a bracket is not closed, or closed by another one. */
function bracketsOf(text: string): string {
  const open: string[] = [];
  for (const mark of text.replace(literals, "").replace(/(?:\/\/|#).*|\/\*[^]*?\*\//g, "").match(/[()[\]{}]/g) ?? []) {
    if ("([{".includes(mark)) open.push(mark);
    else assertEquals(`${open.pop()}${mark}`, { ")": "()", "]": "[]", "}": "{}" }[mark]);
  }
  return open.join("");
}

test("[DI-05] settings in languages without a runtime here are well-formed and contain this server's values", async () => {
  for (const issuer of ["https://as.test", "http://localhost:9000/tenant"]) {
    const as = await latchkey({ issuer, clients });
    for (const id of ["none", "client_secret_basic", "client_secret_post"]) {
      for (const library of ["Spring Boot", "ASP.NET Core", "Go", "Python"]) {
        const { text, notes } = settingsOf(as, id).get(library)!;
        if (text === undefined) {
          assertEquals([library, id], ["ASP.NET Core", "client_secret_basic"]);
          assertStringIncludes(notes[0]!, `"client_secret_post"`);
          continue;
        }
        assertEquals(bracketsOf(text), "", library);
        assertStringIncludes(text, `"${id}"`);
        assertStringIncludes(text, issuer);
        assertStringIncludes(text, "app.example/auth/callback/latchkey");
        assertEquals(text.includes(`"${secret}"`), id !== "none", library);
        for (const token of ["openid", "profile", "email"]) assertStringIncludes(text, token);
      }
    }
    await as.close();
  }
});

test("[DI-05] a client without grant types has no settings, and one without openid none that need it", async () => {
  const as = await latchkey({
    issuer: "https://as.test",
    clients: [
      { client_id: "api", client_secret: secret, grant_types: [] },
      { client_id: "plain", redirect_uris, scope: "read" },
      { client_id: "native", redirect_uris: ["com.example.app:/cb"] },
    ],
  });
  assertEquals([...settingsOf(as, "api")], []);
  const fit = (id: string) =>
    [...settingsOf(as, id).values()].filter(({ text }) => text !== undefined).map((one) => one.library);
  assertEquals(fit("plain"), ["openid-client", "oauth4webapi", "Passport", "MCP TypeScript SDK", "curl", ".env"]);
  assertEquals(fit("native"), ["openid-client", "oauth4webapi", "MCP TypeScript SDK", "curl", ".env"]);
  assertStringIncludes(settingsOf(as, "plain").get("Go")!.notes[0]!, "openid");
  assertStringIncludes(settingsOf(as, "native").get("Go")!.notes[0]!, "private-use scheme");
});
