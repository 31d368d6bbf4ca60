/** Who may use the control. */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { globSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { posix } from "node:path";
import { test } from "node:test";
import { openApiPath, openApiText } from "../../../scripts/control_openapi.ts";
import type { App } from "../../../src/server/app.ts";
import { programControl } from "../../../src/testing/control/program_control.ts";
import { verbPath } from "../../../src/testing/control/verb.ts";
import { verbs } from "../../../src/testing/control/verbs/mod.ts";
import { type LatchkeyOptions, memoryStore } from "../../../src/mod.ts";
import { testControl } from "../../../src/testing/mod.ts";
import { latchkey } from "../../secret_leak_check.ts";
import { testLatchkey } from "../test_latchkey.ts";
import { forEachCase, observedStore } from "../../kit.ts";

const secret = "a-secret-for-the-control";
const realHost: LatchkeyOptions = {
  ...{ issuer: "https://auth.corp.com", audience: "https://api.corp.com", insecure: ["auto-login"] },
  ...{
    users: [{ sub: "alice" }, { sub: "bob" }],
    clients: [{ client_id: "web", redirect_uris: ["https://web.corp.com/cb"] }],
  },
};

/** The time of the servers. It does not pass, so that maintenance, which writes to the store, is never due. */
const startedAt = Date.UTC(2030, 0);

/**
 * A server with the control, the descriptions of its endpoints, and the calls of its store.
 *
 * @param at The path above the control. Default: that of the issuer.
 */
async function start(options: LatchkeyOptions, controlSecret?: string, at?: string) {
  const effects: string[] = [];
  let app: App | undefined;
  const { plugins, control } = programControl({ secret: controlSecret });
  const as = await latchkey({
    ...options,
    now: () => startedAt,
    plugins: [...plugins, { setup: (assembled) => void (app = assembled) }],
    store: observedStore(memoryStore(), (verb, [kind]) => void effects.push(`${verb} ${kind}`)),
  });
  effects.length = 0;
  const base = at ?? app!.site.base;
  const send = (verb: typeof verbs[number], headers: Record<string, string>, body: unknown = verb.input.examples[0]) =>
    as.fetch(
      new Request(`https://auth.corp.com${base}/_control${verbPath(verb)}`, {
        method: verb.reads ? "GET" : "POST",
        headers: { ...verb.reads ? {} : { "content-type": "application/json" }, ...headers },
        ...verb.reads ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) },
      }),
    );
  return { as, send, effects, control, endpoints: app!.endpoints };
}

test("[CO-01] the control needs a secret where the issuer is not on a test host", async () => {
  const error = await assertRejects(() => start(realHost));
  assertStringIncludes(String(error), "controlSecret");
  const mock = await testLatchkey({ issuer: "https://auth.corp.com", testKeys: false, control: true, ...realHost })
    .catch(String);
  assertStringIncludes(String(mock), "controlSecret");
});

/** The path of an issuer, and the path above its control. */
const places = [["", ""], ["/sso", "/sso"], ["/sso", ""]] as const;

test("[CO-01] without the secret no verb reads or changes anything, at the root of the host too", async () => {
  for (const [path, at] of places) await assertSecretIsRequired(path, at);
});

async function assertSecretIsRequired(path: string, at: string): Promise<void> {
  const issuer = `https://auth.corp.com${path}`;
  const { as, send, effects } = await start({ ...realHost, issuer }, secret, at);
  const wrong: readonly Record<string, string>[] = [
    {},
    { authorization: "" },
    { authorization: `Basic ${btoa(`:${secret}`)}` },
    { authorization: `Bearer ${secret}x` },
    { authorization: `Bearer ${secret.slice(1)}` },
    { authorization: `Bearer ${secret} ${secret}` },
    { authorization: secret },
  ];
  await forEachCase(wrong, async (headers) => {
    await forEachCase(verbs.map(({ name }) => name), async (name) => {
      const response = await send(verbs.find((verb) => verb.name === name)!, headers);
      assertEquals([response.status, response.headers.get("content-type")], [401, "application/problem+json"]);
      assertEquals(response.headers.get("www-authenticate"), `Bearer realm="${issuer}"`);
      const { rule, detail } = await response.json();
      assertEquals([rule, detail], ["CO-01", "The control requires its secret"]);
    });
  });
  assertEquals(effects, []);
  assertEquals(as.users.known().size, 2);
  assertEquals(as.clients.known().size, 1);
  const document = await as.fetch(new Request(`https://auth.corp.com${at}/_control/openapi.json`));
  assertEquals(document.status, 401);
  const authorization = `Bearer ${secret}`;
  const health = await (await send(verbs.find(({ name }) => name === "health")!, { authorization })).json();
  assertEquals(health.users, 2);
  assertEquals([health.issuer, Date.parse(health.time)], [issuer, startedAt]);
}

test("[CO-01] a secret is required on test hosts too if there is one", async () => {
  const { send } = await start({ issuer: "http://localhost:9000" }, secret);
  const health = verbs.find(({ name }) => name === "health")!;
  assertEquals((await send(health, {})).status, 401);
  assertEquals((await send(health, { authorization: `bearer ${secret}` })).status, 200);
});

test("[CO-02, CO-03, CO-04] untrusted hosts, pages of other origins and forms reach no verb, at the root either", async () => {
  for (const [path, at] of places) await assertProtected(path, at);
});

async function assertProtected(path: string, at: string): Promise<void> {
  const { as, send, effects } = await start({ issuer: `http://localhost:9000${path}` }, undefined, at);
  const json = { "content-type": "application/json" };
  const requests: readonly [Record<string, string>, number, string][] = [
    [{ host: "rebound.example.com:9000" }, 403, "CO-02"],
    [{ host: "rebound.example.com:9000", origin: "http://rebound.example.com:9000" }, 403, "HT-22"],
    [{ host: "localhost:9000", origin: "http://localhost:5173" }, 403, "CO-03"],
    [{ host: "localhost:9000", origin: "http://localhost:5173", "sec-fetch-site": "same-site" }, 403, "CO-03"],
    [{ host: "localhost:9000", "sec-fetch-site": "same-site" }, 403, "CO-03"],
    [{ host: "localhost:9000", origin: "https://evil.example.com", "sec-fetch-site": "cross-site" }, 403, "HT-22"],
    [{ host: "localhost:9000", origin: "null" }, 403, "HT-22"],
  ];
  await forEachCase(requests, async ([headers, status, rule]) => {
    await forEachCase(verbs.map(({ name }) => name), async (name) => {
      const response = await send(verbs.find((verb) => verb.name === name)!, headers);
      assertEquals([response.status, (await response.json()).rule], [status, rule]);
      assertEquals(response.headers.get("access-control-allow-origin"), null);
    });
  });
  const bodies: readonly [Record<string, string>, string][] = [
    [{ "content-type": "text/plain" }, "{}"],
    [{ "content-type": "application/x-www-form-urlencoded" }, "{}"],
    [{ "content-type": "multipart/form-data; boundary=x" }, "{}"],
    [json, ""],
    [json, "[]"],
    [json, "null"],
    [json, "{"],
  ];
  const changing = verbs.filter(({ reads }) => !reads);
  await forEachCase(bodies, async ([headers, body]) => {
    await forEachCase(changing.map(({ name }) => name), async (name) => {
      const response = await send(changing.find((verb) => verb.name === name)!, headers, body);
      assertEquals([response.status, (await response.json()).rule], [400, "CO-04"]);
    });
  });
  assertEquals(effects, []);
  assertEquals([...as.users.known().values()].map(({ sub }) => sub), ["alice", "bob"]);
}

test("[CO-04] a verb that changes something has no other method, and other methods are problems", async () => {
  const { as } = await start({ issuer: "http://localhost:9000" });
  const response = await as.fetch(new Request("http://localhost:9000/_control/reset"));
  assertEquals([response.status, response.headers.get("allow")], [405, "POST"]);
  assertEquals(response.headers.get("content-type"), "application/problem+json");
  const { detail, errors: [{ fix }] } = await response.json();
  assertEquals([detail, fix], [
    "This address allows only POST",
    "Send POST; a browser that opens the address sends GET.",
  ]);
});

test("[CO-05] a path without a verb is a problem that names the verb that was probably meant", async () => {
  const control = testControl();
  await using as = await latchkey({ plugins: [control.plugin, await control.overHttp()] });
  const paths: readonly [string, string][] = [
    ["/clock/advnce", "Did you mean /clock/advance?"],
    ["/rset", "Did you mean /reset?"],
    ["/clients/add", "Choose one of /clients/set, /clients/change, /clients/all, /clients/delete."],
    ["/users/nothing-like-it", "Choose one of /users/set, /users/all, /users/delete."],
    ["/clock/advance/", "Did you mean /clock/advance?"],
    ["/clock/advance/seconds", "Did you mean /clock/advance?"],
    ["/a/b/c", "Choose a path of /_control/openapi.json."],
    ["/", "Choose a path of /_control/openapi.json."],
    ["", "Choose a path of /_control/openapi.json."],
  ];
  await forEachCase(paths, async ([path, fix]) => {
    for (const method of ["GET", "POST", "PUT", "DELETE"]) {
      const response = await as.fetch(new Request(`${as.issuer}/_control${path}`, { method }));
      const { status, errors } = await response.json();
      assertEquals([response.status, status, errors[0].fix], [404, 404, fix], method);
    }
  });
  assertEquals(control.log.flows, []);
});

test("[CO-05] every verb accepts its examples or says why not, and is never an internal error", async () => {
  const { as, send, control } = await start({ issuer: "http://localhost:9000/tenant" });
  const values: readonly unknown[] = [{}, { __proto__: null, constructor: 1 }, { sub: {} }, { client_id: [] }];
  await forEachCase(verbs.map(({ name }) => name), async (name) => {
    const verb = verbs.find((one) => one.name === name)!;
    const examples = verb.input.examples.map((example) => ({
      ...example as object,
      ..."timeoutMs" in verb.input.members && { timeoutMs: 0 },
    }));
    for (
      const body of [
        ...examples,
        ...values,
        ...Object.keys(verb.input.members).map((key) => ({ [key]: null })),
      ]
    ) {
      const response = await send(verb, {}, body);
      assert(response.status < 500, `${JSON.stringify(body)} is ${response.status} ${await response.text()}`);
    }
  });
  control.clearFaults();
  await as.close();
});

/** The modules that are loaded with a module: what it imports, directly or not, except by import() and for types. */
function loadedWith(path: string, loaded = new Set<string>()): ReadonlySet<string> {
  if (loaded.has(path)) return loaded;
  loaded.add(path);
  const imports = /^(?:im|ex)port (?!type )(?:[^"';]*? from )?"(\.[^"]+\.tsx?)"/gm;
  for (const [, specifier] of readFileSync(path, "utf8").matchAll(imports)) {
    loadedWith(posix.join(posix.dirname(path), specifier!), loaded);
  }
  return loaded;
}

const folder = "src/testing/control/";

test("[CO-01] no entry point loads a part of the control, and only the control itself its endpoints", () => {
  const { exports }: { exports: Record<string, string> } = JSON.parse(readFileSync("deno.json", "utf8"));
  // The client of the control is the other side of it.
  const { "./control": _, ...others } = exports;
  for (const entry of ["src/main.ts", ...Object.values(others).map((path) => posix.normalize(path))]) {
    assertEquals([...loadedWith(entry)].filter((path) => path.startsWith(folder)), [], entry);
  }
  // The pages show what the verbs describe, without the endpoints that run them.
  const verbs = /^(?:verb|control_error|verbs\/[a-z_]+)\.ts$/;
  for (const path of globSync("src/**/*.{ts,tsx}").map((path) => path.replaceAll("\\", "/"))) {
    if (path.startsWith(folder)) continue;
    const loaded = [...loadedWith(path)].filter((path) => path.startsWith(folder));
    assertEquals(loaded.filter((path) => !verbs.test(path.slice(folder.length))), [], path);
  }
  assert(loadedWith(`${folder}mod.ts`).has(`${folder}endpoint.ts`));
  assert(loadedWith("src/testing/fault_pages/handlers.ts").has(`${folder}verb.ts`));
});

test("[CO-01] without its setting there is no control, and the 404 says how to switch it on", async () => {
  await using as = await testLatchkey();
  const response = await as.fetch("/_control/health");
  assertEquals(response.status, 404);
  assertMatch(await response.text(), /--control on/);
});

test("the committed OpenAPI document is up to date, and the server has it with its own address", async () => {
  assertEquals(await readFile(openApiPath, "utf8"), openApiText(), "deno task schema renews it");
  await using as = await testLatchkey({ control: true });
  const document = await (await as.fetch("/_control/openapi.json")).json();
  assertEquals(document.servers, [{ url: `${as.issuer}/_control` }]);
  assertEquals(Object.keys(document.paths), verbs.map(verbPath));
});

test("every member of an input has a description and an example", () => {
  const { paths } = JSON.parse(openApiText());
  for (const [path, { get, post }] of Object.entries<{ get?: never; post?: never }>(paths)) {
    const { summary, parameters = [], requestBody } = (get ?? post)! as Record<string, never>;
    assert(summary, path);
    // deno-lint-ignore no-explicit-any
    const members: [string, any][] = requestBody === undefined
      // deno-lint-ignore no-explicit-any
      ? (parameters as any[]).map((one) => [one.name, { ...one, ...one.schema }])
      : Object.entries(requestBody["content"]["application/json"]["schema"]["properties"] as object);
    for (const [name, { description, examples }] of members) {
      assert(description, `${path} ${name} has no description`);
      assert(examples?.length > 0, `${path} ${name} has no example`);
    }
  }
});
