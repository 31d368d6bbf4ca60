/** Pages that the settings turn off: on a test host the 404 says how to turn them on. */

import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../src/devtools/mod.ts";
import { disabledPages } from "../../src/testing/disabled_pages.ts";
import { forEachCase, testServer } from "../kit.ts";

const asBrowser = { headers: { accept: "text/html" } };
const asProgram = { headers: { accept: "application/json" } };

/** By path: the setting that the page names, and the command that turns it on. */
const pages: Readonly<Record<string, readonly [setting: string, command?: string]>> = {
  "/account": ["login", "npx -y deno task start --login interactive"],
  "/clients": ["directory"],
  "/clients/spa": ["directory"],
  "/_control": ["control", "npx -y deno task start --control on"],
  "/faults": ["faults", "npx -y deno task start --faults on"],
  "/flows": ["inspector", "npx -y deno task start --inspector on"],
  "/flows/7": ["inspector", "npx -y deno task start --inspector on"],
  "/tokens": ["inspector", "npx -y deno task start --inspector on"],
  "/users": ["directory"],
};

test("[UI-29] on a test host a page that is off says how to turn it on, to browsers and programs, with status 404", async () => {
  await forEachCase(["", "/tenant"], async (base) => {
    const issuer = `http://localhost:9666${base}`;
    const { as } = await testServer({
      issuer,
      directory: "off",
      plugins: [{ setup: (app) => void Object.assign(app.disabledPages, disabledPages) }],
    });
    for (const [path, [setting, command]] of Object.entries(pages)) {
      const page = await as.fetch(new Request(issuer + path, asBrowser));
      assertEquals([page.status, page.headers.get("content-type")], [404, "text/html; charset=utf-8"]);
      const text = (await page.text()).replaceAll("<wbr/>", "").replaceAll("&quot;", '"');
      assertMatch(text, / (?:is|are) off[^<]*\.</);
      assertMatch(text, new RegExp(`[Ss]et ${setting} to `));
      if (command === undefined) assert(!text.includes("deno task start"));
      else assertStringIncludes(text, command);
      const json = await as.fetch(new Request(issuer + path, asProgram));
      assertEquals(json.status, 404);
      assertMatch(
        (await json.json()).error_description,
        new RegExp(
          `(?:is|are) off[^.]*\\. (?:Start the server with --\\w+ \\w+, or s|S)et ${setting} to .* \\[HT-01\\]$`,
        ),
      );
    }
    for (const path of ["/flowers", "/flows.js", "/oauth2/flows", "/"]) {
      const response = await as.fetch(new Request(`${issuer}/x${path}`, asBrowser));
      assertEquals(response.status, 404);
      assertNotMatch(await response.text(), / (?:is|are) off/);
    }
  });
});

test("[UI-29] on a real host such a page is any unknown address", async () => {
  const { as } = await testServer({ issuer: "https://login.example.com", insecure: ["auto-login"] });
  for (const path of Object.keys(pages)) {
    const response = await as.fetch(new Request(`https://login.example.com${path}`, asProgram));
    assertEquals(response.status, 404);
    assertMatch((await response.json()).error_description, /^This address does not exist/);
  }
});

test("[UI-29] a page that is on is not affected, and its missing entry is not called off", async () => {
  const { as } = await testServer({ plugins: [inspector()] });
  for (const path of ["/flows", "/clients", "/users"]) {
    assertEquals((await as.fetch(new Request(as.issuer + path, asBrowser))).status, 200);
  }
  const missing = await as.fetch(new Request(`${as.issuer}/flows/99`, asBrowser));
  assertEquals(missing.status, 404);
  assertNotMatch(await missing.text(), / (?:is|are) off/);
});

test("[UI-19] a missing entry of a page says where the others are", async () => {
  const { as } = await testServer({ plugins: [inspector()] });
  const missing = {
    "/clients/none": "Choose a client of the list at /clients.",
    "/users/none": "Choose a user of the list at /users.",
    "/flows/7": "Send the request again, or choose a flow that /flows lists.",
  };
  await forEachCase(Object.entries(missing), async ([path, fix]) => {
    const response = await as.fetch(new Request(as.issuer + path, asBrowser));
    assertEquals(response.status, 404);
    const text = (await response.text()).replaceAll("<wbr/>", "");
    assertStringIncludes(text, `How to fix it:</strong> <bdi>${fix}</bdi>`);
  });
});
