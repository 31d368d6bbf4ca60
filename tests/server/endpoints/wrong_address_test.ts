/** Requests to a wrong path, with a wrong method or by another name of the host: what the response and the log say. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { forEachCase, testServer } from "../../kit.ts";

const issuer = "http://localhost:9666";
const asBrowser = { headers: { accept: "text/html" } };
const asProgram = { headers: { accept: "application/json" } };

test("[HT-01] a wrong path suggests the endpoint, as JSON for programs and as a page for browsers", async () => {
  const suggestions: Record<string, string> = {
    "/authorize": "/oauth2/authorize",
    "/oauth2/authorise": "/oauth2/authorize",
    "/oauth/token": "/oauth2/token",
    "/tokne": "/oauth2/token",
    "/token/": "/oauth2/token",
    "/connect/userinfo": "/oauth2/userinfo",
    "/jwks.json": "/oauth2/jwks",
    "/.well-known/jwks.json": "/oauth2/jwks",
    "/protocol/openid-connect/certs": "/oauth2/jwks",
    "/.well-known/openid-configuration/": "/.well-known/openid-configuration",
    "/oauth2/.well-known/openid-configuration": "/.well-known/openid-configuration",
    // The issuer was written with a slash at its end.
    "//oauth2/token": "/oauth2/token",
  };
  await forEachCase(["", "/tenant"], async (base) => {
    const { as } = await testServer({ issuer: issuer + base });
    for (const [path, expected] of Object.entries(suggestions)) {
      const url = `${issuer}${base}${expected}`;
      const json = await (await as.fetch(new Request(`${issuer}${base}${path}`, asProgram))).json();
      assertStringIncludes(json.error_description, `Did you mean ${url}? [HT-01]`);
      const page = await as.fetch(new Request(`${issuer}${base}${path}`, asBrowser));
      assertEquals(page.status, 404);
      assertStringIncludes((await page.text()).replaceAll("<wbr/>", ""), url);
    }
    for (const path of ["/", "/cars", "/auht", "/oauth2/", "/constructor", `/${"x".repeat(2000)}`]) {
      const response = await as.fetch(new Request(`${issuer}/nowhere${path}`, asProgram));
      assertEquals(response.status, 404);
      assertEquals((await response.json()).error_description, "This address does not exist [HT-01]");
    }
  });
});

test("[HT-01] the control is found behind an issuer with a slash, whose metadata has the slash too", async () => {
  for (const slash of ["", "/"]) {
    await using as = await testLatchkey({ issuer: issuer + slash, control: true });
    const post = (path: string) =>
      as.fetch(`${issuer}${path}`, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
    assertEquals((await (await as.fetch(`${issuer}/.well-known/openid-configuration`)).json()).issuer, issuer + slash);
    const doubled = await post("//_control/reset");
    assertEquals(doubled.status, 404);
    assertStringIncludes(await doubled.text(), `Did you mean ${issuer}/_control/reset?`);
    assertEquals((await post("/_control/reset")).status, 204);
  }
});

test("[HT-01, TK-05] the administration API of a provider is 404 with a call that does the same here", async () => {
  const users = "/_control/users/set";
  const rows: readonly (readonly [method: string, path: string, expected: string, target?: string])[] = [
    ["POST", "/admin/realms/shop/users", users],
    ["POST", "/auth/admin/realms/shop/users", users],
    ["GET", "/admin/realms/shop/users?username=alice", "/_control/users/all"],
    ["DELETE", "/admin/realms/shop/users/8f5c", "/_control/users/delete"],
    ["PUT", "/admin/realms/shop/users/8f5c/reset-password", users],
    ["POST", "/admin/realms/shop/users/8f5c/logout", "/_control/revoke"],
    ["POST", "/admin/realms/shop/users/8f5c/role-mappings/realm", users],
    ["POST", "/admin/realms/shop/clients", "/_control/clients/set"],
    ["GET", "/admin/realms/shop/clients", "/_control/clients/all"],
    ["GET", "/admin/realms/shop/client-session-stats", "/_control/revoke"],
    ["POST", "/admin/realms/shop/push-revocation", "/_control/revoke"],
    ["POST", "/admin/realms", "latchkey.json"],
    ["PUT", "/admin/realms/shop/client-scopes/1", "latchkey.json"],
    ["POST", "/realms/master/protocol/openid-connect/token", "/_control/mint/accessToken"],
    ["POST", "/api/v2/users", users],
    ["GET", "/api/v2/users-by-email?email=a", "/_control/users/all"],
    ["POST", "/api/v2/clients", "/_control/clients/set"],
    ["POST", "/api/v2/users/auth0%7C1/roles", users],
    ["POST", "/dbconnections/signup", users],
    ["POST", "/api/v1/users?activate=true", users],
    ["POST", "/api/v1/users/00u1/lifecycle/deactivate", users],
    ["DELETE", "/api/v1/users/00u1/sessions", "/_control/revoke"],
    ["POST", "/api/v1/apps", "/_control/clients/set"],
    ["PUT", "/api/v1/groups/00g1/users/00u1", users],
    ["POST", "/v1.0/users", users],
    ["GET", "/v1.0/users/1/memberOf", users],
    ["POST", "/v1.0/users/1/revokeSignInSessions", "/_control/revoke"],
    ["POST", "/v1.0/applications", "/_control/clients/set"],
    ["POST", "/beta/servicePrincipals", "/_control/clients/set"],
    ["POST", "/", users, "AdminCreateUser"],
    ["POST", "/", users, "AdminSetUserPassword"],
    ["POST", "/", "/_control/users/delete", "AdminDeleteUser"],
    ["POST", "/", "/_control/users/all", "ListUsers"],
    ["POST", "/", users, "AdminAddUserToGroup"],
    ["POST", "/", "/_control/mint/accessToken", "InitiateAuth"],
    ["POST", "/", "/_control/clients/set", "CreateUserPoolClient"],
    ["POST", "/admin/directory/v1/users", users],
    ["POST", "/api/v3/core/users/", users],
    ["POST", "/scim/v2/Users", users],
  ];
  const inputs: Readonly<Record<string, unknown>> = {
    ...{ sub: "carol", name: "Carol", email: "carol@example.com", password: "p", groups: ["a"], roles: ["b"] },
    ...{ client_id: "app", redirect_uris: ["http://localhost:3000/callback"] },
  };
  await using as = await testLatchkey({ issuer, control: true });
  await as.users.set({ sub: "carol" });
  for (const [method, path, expected, target] of rows) {
    const row = `${method} ${path} ${target ?? ""}`;
    const headers = {
      accept: "application/json",
      ...target && { "x-amz-target": `AWSCognitoIdentityProviderService.${target}` },
    };
    const response = await as.fetch(new Request(issuer + path, { method, headers }));
    assert([404, 405].includes(response.status), row);
    const { error_description: text } = await response.json();
    assertStringIncludes(text, expected, row);
    const [, call, url, members] = /takes (GET|POST) (\S+)(?: with (.+) as JSON)?/.exec(text) ?? [];
    if (url === undefined) continue;
    const input = Object.fromEntries((members ?? "").split(/, | and /).map((name) => [name, inputs[name]]));
    const body = members === undefined ? undefined : JSON.stringify(input);
    const done = await as.fetch(
      new Request(url, { method: call, body, headers: { "content-type": "application/json" } }),
    );
    assert(done.ok, `${row}: ${text}: ${done.status}`);
    await as.users.set({ sub: "carol" });
    await as.clients.set({ client_id: "app", redirect_uris: ["http://localhost:3000/callback"] });
  }
});

test("[HT-01] the profile of a provider explains its administration API in the provider's form", async () => {
  const cognito = (name: string) => ({
    "x-amz-target": `AWSCognitoIdentityProviderService.${name}`,
    "content-type": "application/x-amz-json-1.1",
  });
  const any = { authorization: "Bearer x", "content-type": "application/json" };
  const rows: readonly (readonly [string, string, string, Record<string, string>, string])[] = [
    ["entra", "POST", "/v1.0/users", any, "/_control/users/set with sub, name, email and password"],
    ["entra", "GET", "/v1.0/users?$top=1", any, "/_control/users/all"],
    ["entra", "DELETE", "/beta/users/1", {}, "/_control/users/delete"],
    ["entra", "POST", "/v1.0/applications", any, "/_control/clients/set"],
    ["cognito", "POST", "/", cognito("AdminCreateUser"), "/_control/users/set with sub, name, email and password"],
    ["cognito", "POST", "/", cognito("AdminSetUserPassword"), "/_control/users/set"],
    ["cognito", "POST", "/", cognito("ListUsers"), "/_control/users/all"],
    ["okta", "POST", "/api/v1/users?activate=true", any, "/_control/users/set"],
    ["google", "POST", "/admin/directory/v1/users", any, "/_control/users/set"],
    ["keycloak", "PUT", "/admin/realms/myrealm/users/1/reset-password", any, "/_control/users/set"],
    ["auth0", "POST", "/dbconnections/signup", any, "/_control/users/set"],
  ];
  await forEachCase(rows, async ([profile, method, path, headers, expected]) => {
    await using as = await testLatchkey({ profile: profile as "entra" });
    const response = await as.fetch(new Request(new URL(path, as.issuer), { method, headers }));
    const body = await response.json();
    const [status, text] = profile === "cognito"
      ? [body.__type === "UnknownOperationException" ? 400 : 0, body.message]
      : [404, body.error?.message ?? body.error_description];
    assertEquals(response.status, status);
    assertStringIncludes(text, expected);
  });
});

test("[HT-01] auth0: a token request for the Management API, of a client that nobody registered, names the control", async () => {
  await using as = await testLatchkey({ profile: "auth0" });
  const token = async (audience: string) => {
    const body = JSON.stringify({ grant_type: "client_credentials", client_id: "m2m", client_secret: "x", audience });
    const headers = { "content-type": "application/json", "content-length": String(body.length) };
    const response = await as.fetch(new Request(new URL("/oauth/token", as.issuer), { method: "POST", body, headers }));
    return (await response.json()).error_description;
  };
  assertStringIncludes(await token("https://tenant.auth0.com/api/v2/"), "--control on");
  assertEquals(await token("https://orders.example/api"), "Unauthorized");
});

test("[HT-01] a server on a real host names no tools of tests for the administration API of a provider", async () => {
  const options = { issuer: "https://login.widgets.com", testKeys: false, insecure: ["auto-login"] as const };
  await using as = await testLatchkey(options);
  const response = await as.fetch(
    new Request("https://login.widgets.com/api/v2/users", { ...asProgram, method: "POST" }),
  );
  assertEquals((await response.json()).error_description, "This address does not exist [HT-01]");
});

test("[HT-01] a well-known URL without the path of its document, or with a wrong one, names the right URL", async () => {
  const documents = ["oauth-protected-resource", "openid-configuration", "oauth-authorization-server"] as const;
  await forEachCase(["", "/tenant"], async (base) => {
    await using as = await testLatchkey({ issuer: issuer + base });
    const resource = as.resource("/mcp");
    for (const name of documents) {
      for (
        const path of [
          `/.well-known/${name}`,
          `/.well-known/${name}/`,
          `/.well-known/${name}/wrong`,
          `/x/.well-known/${name}`,
        ]
      ) {
        const response = await as.fetch(new Request(issuer + path, asProgram));
        if (response.ok) continue;
        assertEquals(response.status, 404);
        const [, url] = /Did you mean (\S+)\?/.exec((await response.json()).error_description) ?? [];
        assertStringIncludes(url ?? "nothing", `/.well-known/${name}`, path);
        const document = await (await as.fetch(new Request(url!))).json();
        assertEquals(document.resource ?? document.issuer, name === documents[0] ? resource.url : as.issuer);
      }
    }
  });
});

test("[HT-01] scripts of other origins can read the 404 of a server on a test host, and no page", async () => {
  const origin = "https://app.example.com";
  const real = { issuer: "https://login.widgets.com", insecure: ["auto-login"] as const };
  for (const [options, allowed] of [[{ issuer }, "*"], [real, null]] as const) {
    const { get } = await testServer(options);
    for (const path of ["/.well-known/oauth-protected-resource", "/mcp", "/oauth2/tokne"]) {
      const headersOf = async (accept: string) => (await get(path, { headers: { accept, origin } })).headers;
      assertEquals((await headersOf("application/json")).get("access-control-allow-origin"), allowed, path);
      assertEquals((await headersOf("text/html")).get("access-control-allow-origin"), null, path);
    }
  }
});

test("[HT-01] a browser that opens an endpoint for programs gets a page with a command, and a program gets JSON", async () => {
  const { get } = await testServer({ issuer });
  const response = await get("/oauth2/introspect", asBrowser);
  assertEquals([response.status, response.headers.get("allow")], [405, "POST"]);
  const page = (await response.text()).replaceAll("<wbr/>", "");
  assertMatch(page, new RegExp(`curl( -d \\w+=…)+ ${issuer}/oauth2/introspect<`));
  for (const accept of [undefined, "*/*", "application/json"]) {
    const json = await get("/oauth2/introspect", accept === undefined ? {} : { headers: { accept } });
    assertEquals([json.status, (await json.json()).error], [405, "invalid_request"]);
  }
});

test("metadata that is requested by another name of a test host causes one warning", async () => {
  const warnings = async (issuer: string, hosts: readonly string[]) => {
    const { get, events } = await testServer({ issuer, insecure: ["auto-login"] });
    for (const host of hosts) {
      assertEquals((await get("/.well-known/openid-configuration", { headers: { host } })).status, 200);
    }
    return events.filter(({ type }) => type === "configuration_warning");
  };
  const [warning, ...others] = await warnings(issuer, [
    "localhost:9666",
    "127.0.0.1:9666",
    "host.docker.internal:9666",
  ]);
  assertEquals(others, []);
  assertMatch(JSON.stringify(warning), /from 127\.0\.0\.1:9666, but the issuer is http:\/\/localhost:9666\./);
  assertEquals(await warnings(issuer, ["localhost:9666"]), []);
  assertEquals(await warnings(issuer, ["evil.example.com", "localhost:9666"]), []);
  assertEquals(await warnings("https://login.example.com", ["127.0.0.1"]), []);
});
