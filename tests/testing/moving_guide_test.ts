/** The guide about other mocks: each right side is run, or started with. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readConfiguration } from "../../src/cli/read_config.ts";
import { fault } from "../../src/check/mod.ts";
import { recorder } from "../../src/recorder/recorder.ts";
import { health } from "../../src/cli/operating/mod.ts";
import { requestMappings } from "../../src/testing/request_mappings.ts";
import { OAuth2Server } from "../../src/testing/oauth2_mock_server/mod.ts";
import { faults, testControl, type TestLatchkey } from "../../src/testing/mod.ts";
import type { ClientMetadata } from "../../src/mod.ts";
import { decodeClaims } from "../kit.ts";
import { latchkey } from "../secret_leak_check.ts";
import { testLatchkey } from "./test_latchkey.ts";

const guides = ["moving", "oauth2-mock-server", "mock-oauth2-server", "keycloak", "dex-and-oidc-server-mock"];
const text = guides.map((name) => readFileSync(`static/docs/${name}.md`, "utf8")).join("\n");

interface Section {
  readonly name: string;
  /** The program above the table; empty without one. */
  readonly program: string;
  readonly files: readonly string[];
  /** The code of the right sides. */
  readonly cells: readonly string[];
}

const sections: readonly Section[] = text.split(/^##? /m).slice(1).map((part) => ({
  name: part.split("\n", 1)[0]!,
  program: [...part.matchAll(/```ts ignore\n([\s\S]*?)```/g)].map(([, code]) => code).join("\n"),
  files: [...part.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json]) => json!),
  cells: [...part.matchAll(/^\|.*\| (.*?) *\|$/gm)].flatMap(([, cell]) => /^`([^`]+)`/.exec(cell!)?.[1] ?? []),
}));

/** The right sides that begin like this, in all sections or in one. */
function cells(
  beginning: RegExp,
  { cells }: Pick<Section, "cells"> = { cells: sections.flatMap(({ cells }) => cells) },
) {
  return cells.filter((cell) => beginning.test(cell));
}

async function configure(content: string) {
  const env = { LATCHKEY_CONFIG_JSON: content };
  const read = await readConfiguration({ args: [], env, readTextFile: () => Promise.reject() });
  assert(read.kind === "run");
  return read;
}

const call = /^(?:await )?(?:as\.|fetch\()/;

test("every right side with code is run by a test here", () => {
  const known = [call, /^"/, /^(?:LATCHKEY_|--)/, /^curl /, /^\/flows$/];
  assertEquals(cells(/^/).filter((cell) => !known.some((pattern) => pattern.test(cell))), []);
  assertEquals(sections.filter(({ cells }) => cells.length > 0).length, 7);
});

/** A private key as a JWK. */
async function newKey(): Promise<JsonWebKey> {
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 2048 };
  const { privateKey } = await crypto.subtle.generateKey(
    { ...algorithm, publicExponent: new Uint8Array([1, 0, 1]) },
    true,
    ["sign", "verify"],
  );
  return await crypto.subtle.exportKey("jwk", privateKey);
}

for (const section of sections.filter(({ program }) => program !== "")) {
  test(`each call of ${section.name} succeeds`, async () => {
    const calls = cells(call, section);
    assert(calls.length > 3);
    const names = { testLatchkey, faults, fault, privateJwk: { ...await newKey(), kid: "own" } };
    const { fetch } = globalThis;
    for (const cell of calls) {
      const body = `${section.program}\n${cell};\nreturn as;`;
      const run = new Function(...Object.keys(names), `return (async () => { ${body} })()`);
      const as: TestLatchkey = await run(...Object.values(names));
      const closing = as.close();
      // The faults are there to be read: no request has met them.
      await (/as\.on\(.*(?:once|times)/.test(cell) ? assertRejects(() => closing, Error, "never fired") : closing);
      assertEquals(globalThis.fetch, fetch);
    }
  });
}

for (const { name, files } of sections) {
  for (const file of files) {
    test(`the file of ${name} starts a server that logs in its first user at its first client`, async () => {
      const { settings, port, requestMappings: mappings = [] } = await configure(file);
      if (settings.issuer !== undefined) assertEquals(port, Number(new URL(settings.issuer).port));
      const control = testControl();
      const record = recorder();
      await using as = await latchkey({
        ...settings,
        plugins: [control.plugin, record, requestMappings(mappings, record)],
      });
      const [registered] = Array.isArray(settings.clients) ? settings.clients : [];
      const client: ClientMetadata = registered ??
        { client_id: "unknown", client_secret: "any", redirect_uris: ["http://localhost:3000/cb"] };
      const { tokens, claims } = await control.logIn({ ...client, redirect_uri: client.redirect_uris![0]! }, {
        scope: "openid",
      });
      assertEquals(claims!.sub, (await as.users.list({ limit: 1 }))[0]!.sub);
      const metadata = await (await as.fetch(new Request(`${as.issuer}/.well-known/openid-configuration`))).json();
      for (const [member, path] of Object.entries(settings.paths ?? {})) {
        assertEquals(metadata[member], as.issuer + path);
      }
      const authorization = `Bearer ${tokens.access_token}`;
      const userinfo = await as.fetch(new Request(metadata.userinfo_endpoint, { headers: { authorization } }));
      assertEquals((await userinfo.json()).sub, claims!.sub);
      for (const [claim, value] of Object.entries(mappings[0]?.claims ?? {})) assertEquals(claims![claim], value);
      const { accessTokenClaims = [] } = settings as { accessTokenClaims?: readonly string[] };
      const issued = decodeClaims(tokens.access_token);
      for (const claim of accessTokenClaims) assert(claim in issued);
    });
  }
}

test("the settings, flags and variables are accepted", async () => {
  const settings = cells(/^"/);
  assert(settings.length > 20);
  for (const cell of settings) await configure(`{${cell}}`);
  for (const cell of cells(/^(?:LATCHKEY_|--)/)) {
    const [, variable, value] = /^(\w+)=(.*)$/.exec(cell) ?? [];
    const read = await readConfiguration({
      args: variable === undefined ? cell.split(" ") : [],
      env: variable === undefined ? {} : { [variable]: value! },
      readTextFile: () => Promise.resolve("{}"),
    });
    assertEquals(read.kind, "run", cell);
  }
});

test("the requests to the control succeed", async () => {
  const commands = [...cells(/^curl /), ...text.split(/^## oidc/m, 1)[0]!.match(/(?<=`)curl [^`]+/g)!];
  assert(commands.length > 12);
  for (const command of commands) {
    const [, json, url, issuer] = /^curl (?:--json '([^']+)' )?'?((\S+?)\/(?:_control\/|healthz)\S*?)'?$/.exec(
      command,
    )!;
    await using as = await testLatchkey({ issuer: issuer!, control: true, plugins: [health()] });
    const response = await as.fetch(
      new Request(url!, {
        ...json !== undefined && { method: "POST", body: json, headers: { "content-type": "application/json" } },
      }),
    );
    assert(response.ok, `${command}: ${response.status} ${await response.text()}`);
  }
});

test("the example of the interface of oauth2-mock-server runs", async () => {
  const readme = readFileSync("static/docs/oauth2-mock-server.md", "utf8");
  const [, program = ""] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const body = `return (async () => { ${program.replace(/^import .*\n/m, "")}\nreturn token; })()`;
  const token = await new Function("OAuth2Server", body)(OAuth2Server);
  assertEquals(JSON.parse(atob(token.split(".")[1]!)).scope, "read");
});
