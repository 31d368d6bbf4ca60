/**
 * The settings that a client's page offers: run with the libraries they are for, and read as their languages read them.
 */

import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { execFile } from "node:child_process";
import process from "node:process";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { exportJWK, generateKeyPair } from "jose";
import * as mcp from "@modelcontextprotocol/client";
import * as oauth4webapi from "oauth4webapi";
import * as oidcClientTs from "oidc-client-ts";
import * as openidClient from "openid-client";
import OAuth2Strategy from "passport-oauth2";
import { libraries } from "../../../src/devtools/connect/client_snippets/mod.ts";
import { snippetValues } from "../../../src/devtools/connect/client_snippets/values.ts";
import type { ClientDemand } from "../../../src/devtools/connect/client_snippets/snippet_text.ts";
import type { ClientMetadata, Latchkey } from "../../../src/mod.ts";
import { authJsApplication, getRedirectLocation, loginWithPassport } from "../../server/applications.ts";
import { clients, grant_types, hostileIds, leads, redirect_uris, run, secret, settingsOf } from "./client_snippets.ts";
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
      const tokens = await finish(new URL(await leads(url)), kept);
      assertEquals([tokens.scope, typeof tokens.id_token], ["openid profile email", "string"]);
    });
    const { text } = settingsOf(as, "machine").get(library)!;
    const { tokens } = await run(text!, { [library]: module }, ["tokens"]);
    assertEquals(tokens.scope, "read write");
  });
}

/** Clients of which the server demands something. */
const strictClients: readonly (readonly [ClientMetadata, ClientDemand[]])[] = [
  [{ client_id: "pushing", redirect_uris, require_pushed_authorization_requests: true }, ["par"]],
  [{
    ...{
      client_id: "pushing-basic",
      client_secret: secret,
      redirect_uris,
      require_pushed_authorization_requests: true,
    },
    token_endpoint_auth_method: "client_secret_basic",
  }, ["par"]],
  [{ client_id: "bound", redirect_uris, dpop_bound_access_tokens: true }, ["dpop"]],
  [{ client_id: "signing", redirect_uris, require_signed_request_object: true }, ["jar"]],
  [{
    ...{ client_id: "all", redirect_uris, grant_types, response_modes: ["jwt"], dpop_bound_access_tokens: true },
    ...{ require_pushed_authorization_requests: true, require_signed_request_object: true },
  }, ["par", "jar", "jarm", "dpop"]],
];

test("[DI-05, PA-07, JR-05, JM-06, DO-06] settings push, sign and bind where the server demands it", async () => {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const jwks = { keys: [{ ...await exportJWK(publicKey), alg: "ES256" }] };
  const as = await latchkey({
    responseModes: ["query", "jwt"],
    clients: strictClients.map(([client]) =>
      client.client_id === "signing" || client.client_id === "all" ? { ...client, jwks } : client
    ),
  });
  opened.push(as);
  await as.listen({ port: 0 });
  await forEachCase(strictClients, async ([{ client_id }, demands]) => {
    for (const [library, module] of Object.entries({ "openid-client": openidClient, oauth4webapi })) {
      const { text } = settingsOf(as, client_id, true, demands).get(library)!;
      const key = `import * as key from "key";\nconst { privateKey } = key;\n`;
      const { begin, finish } = await run(key + text!, { [library]: module, key: { privateKey } });
      const { url, kept } = await begin();
      assertEquals(new URL(url).searchParams.has("request_uri"), demands.includes("par"));
      const tokens = await finish(new URL(await leads(url)), kept);
      assertEquals(tokens.token_type, demands.includes("dpop") ? "dpop" : "bearer");
    }
    for (
      const library of [
        "Auth.js",
        "oidc-client-ts",
        "express-openid-connect",
        "Passport",
        "Go",
        "PHP",
        "Python",
        "Spring Boot",
      ]
    ) {
      const { text, notes } = settingsOf(as, client_id, true, demands).get(library)!;
      assertEquals([text, notes.length], [undefined, 1], library);
    }
    assertEquals(settingsOf(as, client_id, true, demands).get("curl")!.text !== undefined, demands.join() === "par");
    // The page of the client has the same settings.
    const page = await (await fetch(`${as.issuer}/clients/${client_id}?connect=openid-client`)).text();
    if (demands.includes("dpop")) assertStringIncludes(page, "getDPoPHandle");
    if (demands.includes("jarm")) assertStringIncludes(page, "useJwtResponseMode");
    if (demands.includes("jar")) assertStringIncludes(page, "buildAuthorizationUrlWithJAR");
    if (demands.includes("par")) assertStringIncludes(page, "buildAuthorizationUrlWithPAR");
    if (shell !== undefined && demands.join() === "par") {
      const { text } = settingsOf(as, client_id, true, demands).get("curl")!;
      const { stdout } = await promisify(execFile)(shell, ["-c", `set -e\n${text} -sS`]);
      assertEquals(JSON.parse(stdout).scope, "openid profile email");
    }
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
    const { text, notes } = settingsOf(as, id).get("Auth.js")!;
    assertEquals(notes, []);
    const { providers } = await run(text!, {});
    const app = authJsApplication(providers);
    const back = await leads(await app.begin());
    assertEquals(await getRedirectLocation(await app.visit(back)), "https://app.example/home");
    const { user } = await (await app.visit("https://app.example/auth/session")).json();
    assertEquals(user, { name: "Alice Adams", email: "alice@example.com" });
  });
  as.clients.set({ client_id: "elsewhere", redirect_uris: ["https://app.example/cb"] });
  assertStringIncludes(settingsOf(as, "elsewhere").get("Auth.js")!.notes[0]!, "/api/auth/callback/latchkey");
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
  });
  // A rejection is shown: in the redirect, or in a response to the shell.
  const stderrOf = async (text: string) => (await promisify(execFile)(shell!, ["-c", text])).stderr;
  const withScope = settingsOf(as, "none").get("curl")!.text!.replace(/scope=openid[^']*/, "scope=nothing");
  assertMatch(await stderrOf(withScope), /No code: \S+[?&]error=invalid_scope&error_description=/);
  const withId = settingsOf(as, "none").get("curl")!.text!.replaceAll("client_id=none", "client_id=nothing");
  assertMatch(await stderrOf(withId), /No code: .*"error":"invalid_request"/);
  // If the user has to log in first, the URL is printed, and the rest waits for the code.
  const { text } = settingsOf(as, "none", false).get("curl")!;
  const [begin, end] = text!.split("code=THE_CODE_FROM_THE_LAST_URL\n");
  const code = new URL(await leads((await promisify(execFile)(shell!, ["-c", begin!])).stdout.trim()))
    .searchParams.get("code");
  assertNotEquals(code, null);
  const verifier = "verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
  const response = JSON.parse(await paste(`${verifier}\ncode=${code}\n${end}`));
  assertEquals(response.error, "invalid_grant", "the verifier is another one here");
});

test(
  "[DI-05, UI-03] a shell reads the values of .env unchanged, whatever they contain",
  { skip: shell === undefined },
  async () => {
    const as = await latchkey({ issuer: "https://as.test", clients: [] });
    await forEachCase([...hostileIds, "plain"], async (client_id) => {
      as.clients.set({
        client_id,
        client_secret: secret,
        redirect_uris,
        token_endpoint_auth_method: "client_secret_post",
      });
      const { text } = settingsOf(as, client_id).get(".env")!;
      const print = `printf '%s\\n' "$OIDC_ISSUER" "$OIDC_CLIENT_ID" "$OIDC_CLIENT_SECRET" "$OIDC_REDIRECT_URI"`;
      const { stdout } = await promisify(execFile)(shell!, ["-c", `set -eu\n${text}\n${print}`]);
      assertEquals(stdout.split("\n"), ["https://as.test", client_id, secret, redirect_uris[0]!, ""]);
    });
    assertEquals(settingsOf(as, "plain").get(".env")!.text!.includes("OIDC_SCOPE='openid profile email'"), true);
  },
);

test("[DI-05] each text names known values, and leaves none of its marks in the settings", async () => {
  const as = await latchkey({ issuer: "https://as.test", clients });
  const urls = { issuer: as.issuer, authorize: "a", token: "t", par: "p" };
  const demands: readonly ClientDemand[] = ["par", "jar", "jarm", "dpop"];
  const known = clients.flatMap(({ client_id }) => {
    const values = snippetValues(urls, as.clients.findCached(client_id)!, { secret, autoLogin: true, demands });
    return [values, ...libraries.map(({ derive }) => derive?.(values) ?? {})].flatMap(Object.keys);
  });
  const methods = ["private_key_jwt"];
  for (const { name, text, notes = "" } of libraries) {
    for (const [, mark] of `${text}${notes}`.matchAll(/\{\{\??([^{}/][^{}]*)\}\}/g)) {
      for (const word of mark!.replace(":shell", "").split(" ")) {
        assert([...known, ...methods].includes(word.replace("!", "")), `${name}: ${word}`);
      }
    }
  }
  for (const { client_id } of clients) {
    for (const autoLogin of [true, false]) {
      for (const { library, text = "", notes } of settingsOf(as, client_id, autoLogin).values()) {
        assertEquals(/\{\{[?/\w]/.test(text + notes), false, library);
      }
    }
  }
});

test("[DI-05] a redirect URI whose path is no UTF-8 has settings all the same", async () => {
  const as = await latchkey({
    issuer: "https://as.test",
    clients: [{ client_id: "odd", redirect_uris: ["https://app.example/%ff"] }],
  });
  assertStringIncludes(settingsOf(as, "odd").get("ASP.NET Core")!.text!, `CallbackPath = "/%ff"`);
});

/** One literal in double quotes, as all of these languages read it. */
const literals = /"(?:[^"\\\n]|\\.)*"/g;

const codeLibraries = [
  ...["openid-client", "oauth4webapi", "Auth.js", "oidc-client-ts", "MCP TypeScript SDK", "Passport"],
  ...["express-openid-connect", "Spring Boot", "ASP.NET Core", "Go", "Python"],
];

test("[DI-05, UI-03] a hostile id is one literal in each language and does not change the code around it", async () => {
  const as = await latchkey({ issuer: "https://as.test", clients: [] });
  const settings = (client_id: string, method: "none" | "client_secret_post") => {
    as.clients.set({
      client_id,
      redirect_uris: [`https://app.example/login/oauth2/code/latchkey?a='$(id)`],
      ...method !== "none" && { client_secret: secret, token_endpoint_auth_method: method },
    });
    return settingsOf(as, client_id);
  };
  for (const method of ["none", "client_secret_post"] as const) {
    const tame = settings("TAME", method);
    await forEachCase(hostileIds, (id) => {
      const wild = settings(id, method);
      for (const library of codeLibraries) {
        const [before, after] = [tame.get(library)!.text, wild.get(library)!.text];
        // Spring replaces what stands between ${ and }, so such an id gets none.
        if (library === "Spring Boot" && id.includes("${")) {
          assertEquals(after, undefined);
          continue;
        }
        assertEquals(before === undefined, after === undefined, library);
        if (before === undefined || after === undefined) continue;
        assertEquals(after.replace(literals, "L"), before.replace(literals, "L"), library);
        const values = (text: string): unknown[] => text.match(literals)!.map((one) => JSON.parse(one));
        assertEquals(values(after), values(before).map((value) => value === "TAME" ? id : value), library);
        assert(values(after).includes(id), library);
      }
    });
  }
});

test(
  "[DI-05, UI-03] a hostile id is one shell word and runs nothing",
  { skip: shell === undefined },
  async () => {
    const as = await latchkey({ issuer: "https://as.test", clients: [] });
    await forEachCase(hostileIds, async (id) => {
      as.clients.set({ client_id: id, client_secret: secret, grant_types: ["client_credentials"] });
      const { text } = settingsOf(as, id).get("curl")!;
      const { stdout } = await promisify(execFile)(shell!, ["-c", `curl() { printf '%s\\n' "$@"; }\n${text}`]);
      const words = stdout.trimEnd().split("\n");
      assertEquals(words.length, 7);
      const [user, password] = words[2]!.split(":");
      assertEquals([decodeURIComponent(user!), password], [id, secret]);
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
        assertStringIncludes(text, "app.example/auth/callback/latchkey".slice(library === "ASP.NET Core" ? 11 : 0));
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
