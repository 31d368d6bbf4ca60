/** The practices on the page of a flow. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../../src/devtools/mod.ts";
import type { TestLatchkey } from "../../../src/testing/mod.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { encodeBase64url } from "../../../src/core/keys/crypto.ts";
import { practices } from "../../../src/recorder/practices/mod.ts";
import { attempt } from "../../recorder/practices/practice_case.ts";

async function page(as: TestLatchkey, path: string): Promise<string> {
  const response = await as.fetch(path);
  const html = await response.text();
  assertEquals(response.status, 200, html);
  return html;
}

/** The section, with a space for each tag. */
async function read(as: TestLatchkey, path: string): Promise<string> {
  const section = /<section id="practices"[^]*?<\/section>/.exec(await page(as, path))![0];
  return section.replace(/<(?:"[^"]*"|[^>"])*>/g, " ").replace(/\s+/g, " ");
}

test("the page of a flow says which practices its client lacks, and links to all of them", async () => {
  await using as = await testLatchkey({ plugins: [inspector()] });
  const client = as.client();
  for (let i = 0; i < 2; i++) await as.logIn(client, { authorization: { state: "xyz" } });
  const brief = await read(as, "/flows/2");
  assertMatch(brief, /Best practices 1 improvement suggested\./);
  assertMatch(brief, /! state-random : two requests have the same state/);
  assert(!brief.includes("pkce-used"));
  const html = await page(as, "/flows/2?practices=all");
  for (
    const link of [
      '<a href="/flows/of/3">step 1</a>',
      '<a href="/flows/of/1">flow 1</a>',
      '<a href="https://www.rfc-editor.org/rfc/rfc9700.html#section-2.1.1" rel="noreferrer">RFC 9700 §2.1.1</a>',
    ]
  ) assert(html.includes(link), link);
  const all = await read(as, "/flows/2?practices=all");
  assertEquals(all.match(/✓ passed|– skipped|✗ failed|! warning/g)?.length, practices.length);
  assertMatch(
    all,
    /✓ passed pkce-used The client sends a code challenge with every authorization request\. seen in 1 request : step 1/,
  );
  assertMatch(all, /– skipped refresh-newest .*? not recorded: two refreshes of a login/);
});

test("[FL-02] the practices that the client should improve are counted near the top of the page, with a link to them", async () => {
  await using as = await testLatchkey({ plugins: [inspector()] });
  const client = as.client();
  for (let i = 0; i < 3; i++) await as.logIn(client, { authorization: i === 0 ? {} : { state: "xyz", nonce: "n" } });
  const line = (html: string) => /<p class="facts-line">.*?<\/p>/s.exec(html)![0];
  assert(!line(await page(as, "/flows/1")).includes("#practices"));
  for (const path of ["/flows/3", "/flows/3?practices=all"]) {
    assertMatch(line(await page(as, path)), /<a href="#practices">2 improvements suggested<\/a><\/p>$/);
  }
});

test("the page of a flow shows the practices of its own client only, without secrets", async () => {
  await using as = await testLatchkey({ plugins: [inspector()] });
  const [good, bad] = [as.client(), as.client()];
  await as.logIn(good);
  const { tokens } = await as.logIn(bad);
  await as.fetch(`/oauth2/userinfo?access_token=${tokens.access_token}`);
  assertMatch(await read(as, "/flows/2"), /✗ token-in-header : the request has the token in the query/);
  assert(!(await read(as, "/flows/1")).includes("✗"));
  assert(!(await page(as, "/flows/2?practices=all")).includes(tokens.access_token));
});

test("values that no client should send neither break the page nor its markup", async () => {
  await using as = await testLatchkey({ plugins: [inspector()] });
  const { client_id } = as.client();
  const odd = [
    "[",
    "{",
    "<b>",
    '{"toString":1}',
    "javascript:alert(1)",
    "\u202E",
    "%00",
    "https://[",
    "a".repeat(5000),
  ];
  const jwt = (claims: unknown) =>
    `${btoa('{"alg":{"toString":1},"jwk":[]}')}.${encodeBase64url(JSON.stringify(claims))}.`;
  const names = ["state", "nonce", "scope", "redirect_uri", "resource", "code_challenge", "prompt", "response_type"];
  for (const value of odd) {
    const query = new URLSearchParams(names.map((name) => [name, value]));
    query.set("client_id", client_id);
    await as.fetch(`/oauth2/authorize?${query}`, {
      redirect: "manual",
      headers: { referer: "https://a.test/?code=b" },
    });
    query.set("request", jwt({ aud: [value], resource: value, exp: { toString: 1 }, state: { toString: 1 } }));
    await as.fetch(`/oauth2/authorize?${query}`, { redirect: "manual" });
    const dpop = jwt({ htm: { toString: 1 }, htu: { toString: 1 }, iat: { toString: 1 }, jti: 1 });
    const body = new URLSearchParams({
      client_id,
      client_assertion: jwt({ aud: { toString: 1 } }),
      code_verifier: value,
    });
    const headers = { dpop, authorization: value.replace(/[^\x20-\x7E]/g, "") };
    await attempt(as.fetch("/oauth2/token", { method: "POST", body, headers }));
  }
  for (const { id } of as.log.flows) {
    const html = await page(as, `/flows/${id}?practices=all`);
    assert(!/<b>(?!✓|✗|!|–|\d+<|×)/.test(html.replaceAll('<b aria-hidden="true">', "")), id);
  }
});
