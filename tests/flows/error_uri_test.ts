/** `error_uri` in error responses: on test hosts it leads to the recorded step that explains the error. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../src/inspector/mod.ts";
import type { LatchkeyOptions } from "../../src/mod.ts";
import { type TestServer, testServer } from "./harness.ts";

/** The `error_uri` of each kind of error response. */
async function errorUris({ token, authorize, get }: TestServer): Promise<Record<string, string | undefined>> {
  const json = await (await token({ code: "guess" })).json();
  const redirected = new URL((await authorize({ scope: "nonsense" })).headers.get("location")!);
  const unknown = await (await get("/token", { headers: { accept: "application/json" } })).json();
  const rejected = await get("/oauth2/userinfo", { headers: { authorization: "Bearer guess" } });
  return {
    json: json.error_uri,
    unknown: unknown.error_uri,
    redirect: redirected.searchParams.get("error_uri") ?? undefined,
    challenge: /error_uri="([^"]*)"/.exec(rejected.headers.get("www-authenticate")!)?.[1],
    body: (await rejected.json()).error_uri,
  };
}

for (const issuer of ["http://localhost:9666", "https://localhost:9666/tenant"]) {
  test(`an error of ${issuer} has the link to the step that explains it`, async () => {
    const server = await testServer({ issuer, plugins: [inspector()] });
    for (const [kind, uri] of Object.entries(await errorUris(server))) {
      assertMatch(uri ?? kind, new RegExp(`^${issuer}/flows/of/\\d+$`));
      const { headers, status } = await server.as.fetch(new Request(uri!));
      assertEquals(status, 302);
      const step = headers.get("location")!;
      assertMatch(step, /\/flows\/\d+#step-\d+$/);
      const page = await (await server.as.fetch(new Request(new URL(step, issuer)))).text();
      assertStringIncludes(page, `id="${step.split("#")[1]}"`);
    }
  });
}

test("without recorded flows, or on another host, errors have no error_uri", async () => {
  const none = { json: undefined, unknown: undefined, redirect: undefined, challenge: undefined, body: undefined };
  const cases: LatchkeyOptions[] = [
    { issuer: "http://localhost:9666" },
    {
      issuer: "https://login.example.com",
      plugins: [inspector({ insecureAllow: true })],
      insecureAllowAutoLogin: true,
    },
  ];
  for (const options of cases) assertEquals(await errorUris(await testServer(options)), none);
});
