/** The import of an exported flow: the same page, list and comparison, read-only; the file is untrusted. */

import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { test } from "node:test";
import { inspector } from "../../src/inspector/mod.ts";
import { toHar } from "../../src/recorder/export/har.ts";
import { latchkey } from "../secret_leak_check.ts";
import { findCsrfToken } from "./csrf.ts";
import { challenge, encode, forEachCase, verifier } from "./harness.ts";

const redirect_uri = "http://localhost:5555/cb";
const client_id = "web";
const client_secret = "a-secret-of-the-client-that-is-long";

/** A server with an inspector, and a browser in front of it. */
async function openServer() {
  const inspected = inspector();
  const as = await latchkey({
    clients: [{ client_id, client_secret, redirect_uris: [redirect_uri] }],
    plugins: [inspected],
    alg: "EdDSA",
  });
  const { issuer } = as;
  const { recorder } = inspected;
  const get = (path: string, headers = {}) => as.fetch(new Request(issuer + path, { headers }));
  const form = await get("/flows/import");
  const cookie = form.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
  const form_token = findCsrfToken(await form.text());
  async function page(path: string): Promise<string> {
    const response = await get(path);
    assertEquals(response.status, 200, path);
    return (await response.text()).replaceAll("<wbr/>", "");
  }
  return {
    as,
    get,
    page,
    recorder,
    cookie,
    form_token,
    /** A login; its token request is changed. Returns the ID of its flow. */
    async login(changes: Readonly<Record<string, string>> = {}): Promise<string> {
      const proof = { code_challenge: challenge, code_challenge_method: "S256" };
      const request = { response_type: "code", client_id, redirect_uri, scope: "openid", state: crypto.randomUUID() };
      const { headers } = await get(`/oauth2/authorize?${encode({ ...request, ...proof })}`);
      const code = new URL(headers.get("location")!).searchParams.get("code")!;
      const fields = { grant_type: "authorization_code", code, code_verifier: verifier, client_id, client_secret };
      const body = new URLSearchParams({ ...fields, redirect_uri, ...changes });
      await (await as.fetch(new Request(`${issuer}/oauth2/token`, { method: "POST", body }))).text();
      return recorder.flows().at(-1)!.id;
    },
    /** Posts the form with a file, or with other fields. */
    async post(file: string | undefined, fields: Readonly<Record<string, string>> = {}, headers = {}) {
      const body = new FormData();
      for (const [name, value] of Object.entries({ form_token, ...fields })) body.append(name, value);
      if (file !== undefined) body.append("file", new File([file], "flow.har", { type: "application/json" }));
      // As the network brings it: whole, with its length.
      const encoded = new Response(body);
      // Before the body: afterwards Bun has none.
      const type = encoded.headers.get("content-type")!;
      const bytes = await encoded.bytes();
      const sent = { "content-type": type, "content-length": String(bytes.length) };
      return await as.fetch(
        new Request(`${issuer}/flows/import`, {
          method: "POST",
          body: bytes,
          headers: { cookie, ...sent, ...headers },
        }),
      );
    },
    /** Imports a file, and returns the path of its flow. */
    async importFile(file: string): Promise<string> {
      const response = await this.post(file);
      assertEquals(response.status, 303, await response.text());
      return response.headers.get("location")!;
    },
    /** Posts a file that is rejected, and returns the text of the page. */
    async rejection(file: string): Promise<string> {
      const response = await this.post(file);
      const text = (await response.text()).replaceAll("<wbr/>", "");
      assertEquals(response.status, 400, text);
      assertStringIncludes(text, "Nothing was imported.");
      return text;
    },
  };
}

/** The names and places of the differences on a page. */
function differencesOf(page: string): string[] {
  return [...page.matchAll(/<dt>.*?<code[^>]*>(.*?)<\/code> <small>(.*?)<\/small>/g)].map(([, name, place]) =>
    `${place}: ${name}`
  );
}

test("[FL-19] [FL-20] an exported flow opens on another server: the same page, marked as imported, without actions", async () => {
  const sender = await openServer();
  await using _sender = sender.as;
  const failed = await sender.login({ redirect_uri: `${redirect_uri}/` });
  const receiver = await openServer();
  await using _receiver = receiver.as;
  for (const form of ["har", "json"]) {
    const file = await sender.page(`/flows/${failed}.${form}`);
    const path = await receiver.importFile(file);
    assertMatch(path, /^\/flows\/i\d$/);
    const text = await receiver.page(path);
    assertStringIncludes(text, "imported");
    assertStringIncludes(text, "Code exchange");
    assertStringIncludes(text, "TK-15");
    if (form === "har") assertStringIncludes(text, `${redirect_uri}/`);
    // Nothing to send, to show or to change, and no link to a host of the file.
    assertNotMatch(text, /\.sh\?|Edit and send again|show=secrets|action="[^"]*\/faults|name="(?:expire|revoke)"/);
    for (const [, href] of text.matchAll(/href="(https?:[^"]*)"/g)) {
      assertMatch(href!, /^https:\/\/(?:www\.rfc-editor\.org|datatracker\.ietf\.org|openid\.net)\//);
    }
    assertEquals((await receiver.get(`${path}.sh?step=2`)).status, 404);
    const list = await receiver.page("/flows");
    assertMatch(list, new RegExp(`<a href="${path}"[^>]*>(?:(?!</li>).)*<b>imported:</b>`));
    // It can be exported again, and that export imported.
    const again = await receiver.importFile(await receiver.page(`${path}.${form}`));
    assertEquals(differencesOf(await receiver.page(`/flows/compare?a=${again.slice(7)}&b=${path.slice(7)}`)), []);
  }
  // Programs and the recorder do not see it.
  assertEquals(receiver.recorder.flows(), []);
  assertEquals(JSON.parse(await receiver.page("/flows.json")).flows, []);
});

test("[FL-19] an imported flow is compared with an own one: what differs between servers is not a difference", async () => {
  const server = await openServer();
  await using _ = server.as;
  const good = await server.login();
  const failed = await server.login({ redirect_uri: `${redirect_uri}/` });
  for (const form of ["har", "json"]) {
    const path = await server.importFile(await server.page(`/flows/${good}.${form}`));
    const id = path.slice("/flows/".length);
    const same = await server.page(`/flows/compare?a=${id}&b=${good}`);
    assertEquals(differencesOf(same), [], form);
    assertStringIncludes(same, "The flows do not differ.");
    const other = await server.page(`/flows/compare?a=${failed}&b=${id}`);
    assertEquals(differencesOf(other)[0], "request body: redirect_uri", form);
    // Each step leads to the page of its flow.
    assertStringIncludes(other, `href="/flows/${id}#step-2"`);
    assertStringIncludes(await server.page(path), `/flows/compare?a=${id}&amp;b=${failed}`);
  }
});

test("[FL-19] [FL-20] pasted text is imported too; the flow is removed alone, with all flows, and beyond the limit", async () => {
  const server = await openServer();
  await using _ = server.as;
  const file = await server.page(`/flows/${await server.login()}.har`);
  const pasted = await server.post(undefined, { text: `\n${file}` });
  assertEquals(pasted.headers.get("location"), "/flows/i1");
  const own = await server.login();
  const remove = (path: string) => {
    const body = new URLSearchParams({ form_token: server.form_token, do: "delete" });
    const headers = { cookie: server.cookie };
    return server.as.fetch(new Request(server.as.issuer + path, { method: "POST", body, headers }));
  };
  assertEquals((await remove("/flows/i1")).status, 303);
  assertEquals((await server.get("/flows/i1")).status, 404);
  assertEquals((await server.get(`/flows/${own}`)).status, 200);
  for (let i = 2; i <= 12; i++) assertEquals(await server.importFile(file), `/flows/i${i}`);
  assertEquals((await server.get("/flows/i2")).status, 404);
  assertEquals((await server.get("/flows/i3")).status, 200);
  assertEquals((await remove("/flows")).status, 303);
  assertEquals((await server.get("/flows/i12")).status, 404);
});

test("[FL-19] a file that is not an exported flow is rejected with the place, expected and received", async () => {
  const server = await openServer();
  await using _ = server.as;
  const id = await server.login();
  const json = JSON.parse(await server.page(`/flows/${id}.json`));
  const har = JSON.parse(await server.page(`/flows/${id}.har`));
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const change = (file: unknown, edit: (copy: never) => void) => {
    const copy = structuredClone(file);
    edit(copy as never);
    return JSON.stringify(copy);
  };
  type Fixture = { exchanges: { request: Record<string, unknown>; response: { body: unknown }; passed: unknown[] }[] };
  type Har = { log: { entries: { request: { url: string }; _latchkey: Record<string, unknown> }[] } };
  await forEachCase<[string, RegExp]>([
    ["# Flow 1 <script>", /file<\/code>: expected JSON, received <bdi>&quot;# Flow 1 &lt;script/],
    ["[]", /expected an exported flow/],
    ["null", /expected an exported flow/],
    ["{}", /outcome<\/code>: expected &quot;done&quot;/],
    [`{"outcome":"done","exchanges":[]}`, /exchanges<\/code>: expected an array of exchanges, at least one/],
    [change(json, (copy: Fixture) => delete copy.exchanges[1]!.request.method), /exchanges\[1\]\.request\.method/],
    [change(json, (copy: Fixture) => copy.exchanges[0]!.request.query = { state: 5 }), /request\.query\.state/],
    [change(json, (copy: Fixture) => copy.exchanges[0]!.request.hreaders = {}), /Did you mean headers\?/],
    [change(json, (copy: Fixture) => copy.exchanges[0]!.passed.push("XX-99")), /the ID of a check/],
    [change(json, (copy: Fixture) => copy.exchanges[0]!.passed.push("__proto__")), /the ID of a check/],
    [JSON.stringify(json).replace(`"method"`, `"__proto__":{"a":1},"method"`), /__proto__/],
    [change(json, (copy: Fixture) => copy.exchanges = Array(1001).fill(copy.exchanges[0])), /at most 1000 items/],
    [change(json, (copy: Fixture) => copy.exchanges[0]!.request.path = "/x".repeat(40_000)), /65536 characters/],
    [change(json, (copy: Fixture) => copy.exchanges[0]!.response.body = JSON.parse(nested(60))), /at most 40 levels/],
    [nested(100_000), /at most 40 levels|expected JSON/],
    [change(har, (copy: Har) => copy.log.entries[0]!.request.url = "javascript:alert(1)"), /an absolute URL/],
    [change(har, (copy: Har) => copy.log.entries[0]!._latchkey.flow = "other"), /the entries of one flow/],
    [
      change(har, (copy: Har) => delete (copy.log.entries[0] as Partial<Har["log"]["entries"][0]>)._latchkey),
      /_latchkey/,
    ],
    [JSON.stringify(toHar([], { issuer: server.as.issuer })), /log\.entries<\/code>: expected an array of entries/],
  ], async ([file, expected]) => assertMatch(await server.rejection(file), expected));
  assertMatch(await server.rejection(""), /expected an exported flow, received/);
  const large = await server.post(" ".repeat(1024 * 1024 + 5000));
  assertEquals(large.status, 413);
  await large.text();
  assertEquals((await server.get("/flows/i1")).status, 404);
});

test("[FL-20] [UI-04] [UI-05] [FL-05] the form needs its CSRF token, this origin and this host", async () => {
  const server = await openServer();
  await using _ = server.as;
  const file = await server.page(`/flows/${await server.login()}.har`);
  const other = await openServer();
  await using _other = other.as;
  await forEachCase<[Record<string, string>, Record<string, string>, number]>([
    [{ form_token: "" }, {}, 403],
    [{ form_token: other.form_token }, {}, 403],
    [{}, { cookie: "" }, 403],
    [{}, { origin: "https://evil.example" }, 403],
    [{}, { "sec-fetch-site": "cross-site" }, 403],
    [{}, { host: "evil.example" }, 403],
    [{}, { "content-type": "application/x-www-form-urlencoded" }, 400],
    [{}, { "content-type": "multipart/form-data" }, 400],
    [{}, { "content-type": "multipart/form-data; boundary=x" }, 400],
  ], async ([fields, headers, status]) => {
    const response = await server.post(file, fields, headers);
    await response.text();
    assertEquals(response.status, status);
  });
  assertEquals((await server.get("/flows/i1")).status, 404);
});

/** What a page, a link or a script could take for something else. */
const hostile = [
  `"><script>alert(1)</script>`,
  "javascript:alert(1)",
  "https://evil.example/",
  "//evil.example",
  "\u202e\u0000\ud800",
  "/flows/1",
  "__proto__",
  "{{code 1}}",
  "constructor",
  "",
];

test("[FL-20] whatever a valid file contains, its pages contain no element, link or form of it", async () => {
  const server = await openServer();
  await using _ = server.as;
  const id = await server.login({ redirect_uri: `${redirect_uri}/` });
  const own = JSON.stringify(server.recorder.flows());
  const files = [await server.page(`/flows/${id}.json`), await server.page(`/flows/${id}.har`)];
  /** Replaces the texts of a file whose places the numbers name. */
  const spoil = (file: unknown, picks: readonly (readonly [number, string])[]): string => {
    let at = 0;
    const chosen = new Map(picks);
    return JSON.stringify(file, (_, value) => typeof value === "string" ? chosen.get(at++) ?? value : value);
  };
  const place = fc.tuple(fc.nat(150), fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: "binary" })));
  await fc.assert(
    fc.asyncProperty(fc.nat(1), fc.array(place, { minLength: 1, maxLength: 12 }), async (which, picks) => {
      const response = await server.post(spoil(JSON.parse(files[which]!), picks));
      const text = await response.text();
      assert([303, 400].includes(response.status), `${response.status} ${text}`);
      const path = response.headers.get("location");
      const pages = path === null ? [text] : await Promise.all(
        [path, "/flows", `/flows?flow=${path.slice(7)}`, `/flows/compare?a=${path.slice(7)}&b=${id}`].map(server.page),
      );
      for (const shown of pages) {
        assertNotMatch(shown, /<script>|javascript:[^<]*"\s|href="(?:javascript|https?:\/\/evil|\/\/)/);
        for (const [, target] of shown.matchAll(/<form[^>]*action="([^"]*)"/g)) assertMatch(target!, /^\/flows/);
      }
      for (const form of path === null ? [] : ["md", "txt", "har", "json"]) await server.page(`${path}.${form}`);
    }),
    { numRuns: 60 },
  );
  assertEquals(JSON.stringify(server.recorder.flows()), own);
});
