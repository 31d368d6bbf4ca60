/** The page that compares two flows: what differs is marked, what differs in every login is not. */

import { assert, assertEquals, assertLess, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../src/inspector/mod.ts";
import { latchkey } from "../secret_leak_check.ts";
import { challenge, encode, forEachCase, verifier } from "./harness.ts";

const redirect_uri = "http://localhost:5555/cb";
const client_id = "web";
const client_secret = "a-secret-of-the-client-that-is-long";

/** A server with the flows of logins; the token request of each is changed by the test. */
async function recordedServer() {
  const inspected = inspector();
  const as = await latchkey({
    clients: [{ client_id, client_secret, redirect_uris: [redirect_uri] }],
    plugins: [inspected],
    alg: "EdDSA",
  });
  const { issuer } = as;
  const get = (path: string, headers = {}) => as.fetch(new Request(issuer + path, { headers }));
  async function login(
    changes: Readonly<Record<string, string>> = {},
    authorization: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const proof = { code_challenge: challenge, code_challenge_method: "S256" };
    const request = { response_type: "code", client_id, redirect_uri, scope: "openid", state: crypto.randomUUID() };
    const { headers } = await get(`/oauth2/authorize?${encode({ ...request, ...proof, ...authorization })}`);
    const code = new URL(headers.get("location")!).searchParams.get("code")!;
    const fields = { grant_type: "authorization_code", code, code_verifier: verifier, client_id, client_secret };
    const body = new URLSearchParams({ ...fields, redirect_uri, ...changes });
    const response = await as.fetch(new Request(`${issuer}/oauth2/token`, { method: "POST", body }));
    await response.text();
    return inspected.recorder.flows().at(-1)!.id;
  }
  async function page(path: string): Promise<string> {
    const response = await get(path);
    assertEquals(response.status, 200, path);
    return (await response.text()).replaceAll("<wbr/>", "");
  }
  return { as, get, login, page, recorder: inspected.recorder };
}

/** The names and places of the differences on a page. */
function differencesOf(page: string): string[] {
  return [...page.matchAll(/<dt>.*?<code[^>]*>(.*?)<\/code> <small>(.*?)<\/small>/g)].map(([, name, place]) =>
    `${place}: ${name}`
  );
}

test("[FL-18] two flows: what differs is marked, what is new in every login is not", async () => {
  const { as, login, page } = await recordedServer();
  await using _ = as;
  const good = await login();
  const again = await login();
  const failed = await login({ redirect_uri: `${redirect_uri}/`, resource: "https://api.example" });
  const secret = await login({ client_secret: "another-secret-that-is-not-right" });

  const same = await page(`/flows/compare?a=${again}&b=${good}`);
  assertEquals(differencesOf(same), []);
  assertStringIncludes(same, "The flows do not differ.");

  const compared = await page(`/flows/compare?a=${failed}&b=${good}`);
  const differences = differencesOf(compared);
  assertEquals(differences.slice(0, 2), ["request body: redirect_uri", "request body: resource"]);
  assert(differences.includes("response: status"), `${differences}`);
  assert(differences.includes("response body: access_token"), `${differences}`);
  // What the client sent comes first, and headers that only an error has follow from its status.
  const places = [...new Set(differences.map((difference) => difference.split(":")[0]))];
  assertEquals(places, ["request body", "response", "response body"]);
  // A rejection links to its own step.
  const failedAgain = await login({ redirect_uri: `${redirect_uri}/`, resource: "https://api.example" });
  assertEquals(differencesOf(await page(`/flows/compare?a=${failedAgain}&b=${failed}`)), []);
  assertMatch(compared, /First difference: step 2, Code exchange, request body: <code[^>]*>redirect_uri</);
  assertMatch(compared, /cb<mark>\/<\/mark>/);
  assertMatch(compared, /<em>absent<\/em>/);
  // Equal values are folded, in their step.
  assertMatch(compared, /<details><summary>\d+ equal values<\/summary>.*?grant_type/);

  const otherSecret = await page(`/flows/compare?a=${secret}&b=${good}`);
  assertEquals(differencesOf(otherSecret)[0], "request body: client_secret");
  assert(differencesOf(otherSecret).includes("response header: www-authenticate"));
  // What is redacted elsewhere is redacted here.
  for (const text of [compared, otherSecret, same]) {
    assertNotMatch(text, new RegExp(`${client_secret}|another-secret|${verifier}|eyJ[\\w-]{20}`));
  }
});

test("[FL-18] the page of a failed flow leads to the comparison with the last successful one of its client", async () => {
  const { as, login, page } = await recordedServer();
  await using _ = as;
  const first = await login({ redirect_uri: `${redirect_uri}/` });
  const link = /href="(\/flows\/compare[^"]*)"/;
  assertNotMatch(await page(`/flows/${first}`), link);
  await login();
  const last = await login();
  const failed = await login({ code_verifier: `${verifier}x` });
  for (const path of [`/flows/${failed}`, `/flows?flow=${failed}`]) {
    assertEquals(link.exec(await page(path))?.[1], `/flows/compare?a=${failed}&amp;b=${last}`, path);
  }
  assertNotMatch(await page(`/flows/${last}`), link);
});

test("[FL-18] a step that one flow alone has is named, and the steps after it stay aligned", async () => {
  const { as, get, login, page, recorder } = await recordedServer();
  await using _ = as;
  const short = await login();
  const long = await login();
  const body = recorder.flow(long)!.exchanges.at(-1)!.response!.body!;
  await (await get("/oauth2/userinfo", { authorization: `Bearer ${JSON.parse(body).access_token}` })).text();
  const compared = await page(`/flows/compare?a=${short}&b=${long}`);
  assertMatch(compared, new RegExp(`<h2[^>]*>[^<]*: only in flow ${long}</h2>`));
  assertMatch(compared, new RegExp(`First difference: only flow ${long} has step 3`));
  assertEquals(differencesOf(compared), []);
});

test("[FL-18] unknown flows are 404 and say which one is missing; another host is 403", async () => {
  const { as, get, login } = await recordedServer();
  await using _ = as;
  const id = await login();
  const cases = [["", "a"], [`?a=${id}`, "b"], [`?a=999&b=${id}`, "a"], [`?a=${id}&b=%3Cb%3E`, "b"]] as const;
  await forEachCase(cases, async ([query, name]) => {
    const response = await get(`/flows/compare${query}`, { accept: "text/html" });
    assertEquals(response.status, 404);
    assertMatch(await response.text(), new RegExp(`Flow ${name} of the comparison is not recorded`));
  });
  const foreign = await get(`/flows/compare?a=${id}&b=${id}`, { host: "rebound.example" });
  assertEquals(foreign.status, 403);
});

test("[FL-18][UI-18] whatever clients sent, a page is escaped and below 30 kB, and leads to the rest", async () => {
  const { as, get, login, page } = await recordedServer();
  await using _ = as;
  const hostile = (mark: string) =>
    Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`p${i}<script>`, `<img src=x>${mark.repeat(300)}\u202e"'&${i}`]),
    );
  const first = await login(hostile("<"), { login_hint: "<script>" });
  const second = await login(hostile("\x1b"));
  const assets = await Promise.all(["/static/style.css", "/flows/compare.css", "/static/icon.svg"].map(page));
  let path = `/flows/compare?a=${first}&b=${second}`;
  let [pages, listed] = [0, 0];
  for (; path !== ""; pages++) {
    const html = await (await get(path)).text();
    assertLess(new TextEncoder().encode(assets.join("") + html).length, 30_000, path);
    for (const text of ["<script", "<img src=x", "\x1b", "\u202e"]) assert(!html.includes(text), text);
    listed += differencesOf(html).length;
    path = /href="([^"]*&amp;from=\d+)"/.exec(html)?.[1]?.replace("&amp;", "&").replace("&amp;", "&") ?? "";
  }
  assertEquals([pages, listed > 0], [2, true]);
});
