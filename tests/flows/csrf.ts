/** What the tests of the directory's pages have in common: pages with forms, their tokens, and who may not send them. */

import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { browse } from "./browser.ts";
import type { Browser } from "./browser.ts";
import { each, encode, refusals, shownPage } from "./harness.ts";
import type { Bench, Fields } from "./harness.ts";

/** Asserts a page like all others, but for forms that post to this server. */
export async function shownPageWithForms(response: Response, status = 200, ...hostile: string[]): Promise<string> {
  const html = await response.text();
  if (html.includes("<form")) assertEquals(response.headers.get("referrer-policy"), "same-origin");
  for (const [form] of html.matchAll(/<form\b[^>]*>/g)) assertMatch(form, /method="post" action="\/[a-z]/);
  await shownPage(new Response(html.replace(/<form\b[^>]*>/g, ""), response), status, ...hostile);
  return html;
}

/** The token in the first form of a page. */
export function tokenIn(html: string): string {
  return /name="form_token" value="([^"]+)"/.exec(html)?.[1] ?? "none";
}

/** The token that the forms of a page carry, in the browser that opens it. */
export async function tokenOf(browser: Browser, path: string): Promise<string> {
  return tokenIn(await (await browser.get(path)).text());
}

/** Forms that are refused, each for a reason of its own. */
export async function refusesStrangers(
  b: Bench,
  path: string,
  fields: Fields,
  unchanged: () => unknown,
): Promise<void> {
  const browser = browse(b);
  const form_token = await tokenOf(browser, path);
  const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
  const other = browse(b);
  const stolen = await tokenOf(other, path);
  const before = unchanged();
  const send = (headers: Record<string, string>, sent: Fields) =>
    b.get(path, {
      method: "POST",
      body: encode({ ...fields, ...sent }),
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    });
  await each<[Record<string, string>, Fields]>([
    [{ cookie }, {}],
    [{ cookie }, { form_token: "" }],
    [{ cookie }, { form_token: form_token.slice(1) }],
    [{ cookie }, { form_token: `${form_token}x` }],
    [{ cookie }, { form_token: stolen }],
    [{}, { form_token }],
    [{ cookie: cookie.replace("=", "=x") }, { form_token }],
    [{ cookie, origin: "https://evil.example.com" }, { form_token }],
    [{ cookie, origin: "https://as.test.evil.example.com" }, { form_token }],
    [{ cookie, "sec-fetch-site": "cross-site" }, { form_token }],
    [{ cookie, "sec-fetch-site": "same-site" }, { form_token }],
    [{ cookie, origin: "null" }, { form_token }],
    [{ cookie, host: "rebound.example.com" }, { form_token }],
    [{ cookie, host: "rebound.example.com:9000", origin: "http://rebound.example.com:9000" }, { form_token }],
  ], async ([headers, sent]) => {
    const response = await send(headers, sent);
    const html = await shownPage(response, 403);
    assertStringIncludes(html, "To mend it:");
    assertEquals(unchanged(), before);
  });
  assertEquals(refusals(b.events).length, 14);
  // What is not a form, or too large, is refused like everywhere.
  await shownPage(await b.get(path, { method: "POST", body: "{}", headers: { cookie } }), 400);
  await shownPage(await send({ cookie }, { form_token, pad: "x".repeat(70_000) }), 413);
  assertEquals(unchanged(), before);
  const welcome: Record<string, string>[] = [{ "sec-fetch-site": "same-origin", origin: "null" }, {
    origin: "https://as.test",
  }];
  for (const headers of welcome) {
    const answer = await send({ cookie, ...headers }, { form_token });
    assert(answer.status === 303 || answer.status === 400, String(answer.status));
  }
  assertNotEquals(unchanged(), before);
}
