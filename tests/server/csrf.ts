/**
 * What the tests of the directory's pages have in common: pages with forms, their tokens, and who may not send them.
 */

import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { type Browser, openBrowser } from "./browser.ts";
import { assertPage, type Fields, forEachCase, getRejections, libraryForm, type TestServer } from "../kit.ts";

/** Asserts a page like all others, but for forms that post to this server. */
export async function assertPageWithForms(response: Response, status = 200, ...hostile: string[]): Promise<string> {
  const html = await response.text();
  if (html.includes("<form")) assertEquals(response.headers.get("referrer-policy"), "same-origin");
  for (const [form] of html.matchAll(/<form\b[^>]*>/g)) {
    if (!libraryForm.test(form)) assertMatch(form, /method="post" action="\/[a-z]/);
  }
  await assertPage(new Response(html.replace(/<form\b[^>]*>/g, ""), response), status, ...hostile);
  return html;
}

/** The token in the first form of a page. */
export function findCsrfToken(html: string): string {
  return /name="form_token" value="([^"]+)"/.exec(html)?.[1] ?? "none";
}

/** The token that the forms to a path carry, in the browser that opens their page: home has the one to /clients. */
export async function fetchCsrfToken(browser: Browser, path: string): Promise<string> {
  return findCsrfToken(await (await browser.get(path === "/clients" ? "/" : path)).text());
}

/** Rejected forms, each for another reason. */
export async function assertCsrfProtected(
  server: TestServer,
  path: string,
  fields: Fields,
  unchanged: () => unknown,
): Promise<void> {
  const browser = openBrowser(server);
  const form_token = await fetchCsrfToken(browser, path);
  const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
  const other = openBrowser(server);
  const stolen = await fetchCsrfToken(other, path);
  const before = unchanged();
  const send = (headers: Record<string, string>, sent: Fields) => server.post(path, { ...fields, ...sent }, headers);
  await forEachCase<[Record<string, string>, Fields]>([
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
    const html = await assertPage(response, 403);
    assertStringIncludes(html, "How to fix it:");
    assertEquals(unchanged(), before);
  });
  assertEquals(getRejections(server.events).length, 14);
  // An invalid or too large form is rejected as on other endpoints.
  await assertPage(await server.get(path, { method: "POST", body: "{}", headers: { cookie } }), 400);
  await assertPage(await send({ cookie }, { form_token, pad: "x".repeat(70_000) }), 413);
  assertEquals(unchanged(), before);
  const acceptedHeaders: Record<string, string>[] = [{ "sec-fetch-site": "same-origin", origin: "null" }, {
    origin: "https://as.test",
  }];
  for (const headers of acceptedHeaders) {
    const response = await send({ cookie, ...headers }, { form_token });
    assert(response.status === 303 || response.status === 400, String(response.status));
  }
  assertNotEquals(unchanged(), before);
}
