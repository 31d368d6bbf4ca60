/** Requests to a wrong path, with a wrong method or by another name of the host: what the response and the log say. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
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
