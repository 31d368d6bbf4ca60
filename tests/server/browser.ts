/** A browser as a server sees it: keeps cookies by their rules, reads forms by those of HTML, and follows nothing. */

import { assert, assertEquals } from "@std/assert";
import { assertPage, assertTokenResponse, encode, getRedirectParams, goodRequest } from "../kit.ts";
import type { Fields, TestServer, TokenResponseBody } from "../kit.ts";

/** The cookie that holds the session. */
export const sessionCookie = "__Host-latchkey_session";

/** A token response of a client registered for refresh tokens. */
export interface LoginTokens extends TokenResponseBody {
  readonly refresh_token: string;
}

/** The cookie that binds a login to its browser. */
export const browserCookie = "__Host-latchkey_login";

/** One browser. Paths are below the issuer. */
export interface Browser {
  /** Its cookies by name; a test may change them. */
  readonly cookies: Map<string, string>;
  get(path: string, init?: RequestInit): Promise<Response>;
  /**
   * Posts a form; `elsewhere` means that a page of another site does it, so that no `SameSite` cookie travels along.
   */
  post(path: string, fields: Fields, from?: "here" | "elsewhere"): Promise<Response>;
  /** The authorization request of the bench, changed by the fields given. */
  authorize(fields?: Fields): Promise<Response>;
  /** A whole flow of a public client, with changes to the authorization request. */
  login(fields?: Fields): Promise<LoginTokens>;
  /** Result of `prompt=none`: `code`, or the error. */
  authorizeSilently(fields?: Fields): Promise<string>;
}

/** Opens a browser in front of a server. */
export function openBrowser(
  server: Pick<TestServer, "get" | "token">,
  initialCookies: Iterable<readonly [string, string]> = [],
): Browser {
  const cookies = new Map(initialCookies);
  const send = async (path: string, init: RequestInit = {}, withCookies = true) => {
    const headers = new Headers(init.headers);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    if (cookie !== "" && withCookies) headers.set("cookie", cookie);
    const response = await server.get(path, { ...init, headers });
    for (const line of response.headers.getSetCookie()) storeCookie(cookies, line);
    return response;
  };
  const self: Browser = {
    cookies,
    get: (path, init) => send(path, init),
    post: (path, fields, from = "here") =>
      send(path, {
        method: "POST",
        body: encode(fields),
        headers: { "content-type": "application/x-www-form-urlencoded" },
      }, from === "here"),
    authorize: (fields = {}) => send(`/oauth2/authorize?${encode({ ...goodRequest, ...fields })}`),
    async login(fields = {}) {
      const params = getRedirectParams(await self.authorize(fields));
      const { client_id = "spa", redirect_uri = goodRequest.redirect_uri } = fields;
      const code = params.get("code") ?? `none, but ${params.get("error_description")}`;
      return await assertTokenResponse(await server.token({ code, client_id, redirect_uri })) as LoginTokens;
    },
    async authorizeSilently(fields = {}) {
      const params = getRedirectParams(await self.authorize({ prompt: "none", ...fields }));
      return params.has("code") ? "code" : params.get("error")!;
    },
  };
  return self;
}

function storeCookie(cookies: Map<string, string>, line: string): void {
  const [pair, ...attributes] = line.split("; ");
  const [name, value] = [pair!.slice(0, pair!.indexOf("=")), pair!.slice(pair!.indexOf("=") + 1)];
  if (attributes.includes("Max-Age=0")) cookies.delete(name);
  else cookies.set(name, value);
}

/** A form in a page, and what a browser would send for it. */
export interface Form {
  readonly action: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** The body of the request that the form's button makes. */
  readonly body: string;
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** What an attribute's text means: line ends as the parser reads them, then character references. */
function decodeEntities(text: string): string {
  return text.replace(/\r\n?/g, "\n").replaceAll("\0", "\uFFFD").replace(
    /&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi,
    (_, hex, decimal, name) => name ? entities[name]! : String.fromCodePoint(hex ? parseInt(hex, 16) : Number(decimal)),
  );
}

/** Reads the attributes of a tag. */
export function parseAttributes(tag: string): Map<string, string> {
  const found = [...tag.matchAll(/\s([a-z-]+)(?:="([^"]*)")?/g)];
  return new Map(found.map(([, name, value = ""]) => [name!, decodeEntities(value)]));
}

/** The one form of a page that posts; throws when there is another number of them. */
export function getForm(html: string): Form {
  const forms = [...html.matchAll(/<form\b(?:"[^"]*"|[^>"])*>[^]*?<\/form>/g)].map(([form]) => form);
  assertEquals(forms.length, 1, "the page does not hold exactly one form");
  const [opening] = /^<form\b(?:"[^"]*"|[^>"])*>/.exec(forms[0]!)!;
  const attributes = parseAttributes(opening);
  assertEquals(attributes.get("method"), "post");
  const inputs = [...forms[0]!.matchAll(/<input\b(?:"[^"]*"|[^>"])*>/g)].map(([tag]) => parseAttributes(tag));
  for (const input of inputs) {
    assertEquals(input.get("type"), "hidden");
    assertEquals([...input.keys()].filter((name) => !["type", "name", "value"].includes(name)), []);
  }
  assertEquals((forms[0]!.match(/<button\b/g) ?? []).length, 1, "the form does not have exactly one button");
  const fields = inputs.map((input) => [input.get("name")!, input.get("value") ?? ""] as const);
  // A browser sends every line end in a form as CR LF.
  const sent = fields.map((pair) => pair.map((text) => text.replace(/\r\n?|\n/g, "\r\n")));
  return { action: attributes.get("action")!, fields, body: new URLSearchParams(sent).toString() };
}

/** Asserts a page of this server, 200, with one form and `hostile` escaped; returns the form and the HTML. */
export async function assertPageWithForm(
  response: Response,
  ...hostile: readonly string[]
): Promise<Form & { html: string }> {
  const html = await response.text();
  const form = getForm(html);
  for (const text of hostile) assert(!html.includes(text), `the page holds ${text} as it was sent`);
  // The form is checked there; everything else is checked like every page.
  await assertPage(new Response(html.replace(/<(?:form|input)\b(?:"[^"]*"|[^>"])*>/g, ""), response), 200);
  return { ...form, html };
}
