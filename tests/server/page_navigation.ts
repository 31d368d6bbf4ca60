/** Navigation of the login and consent pages: what is shown, and what a button submits. */

import { assert, assertEquals } from "@std/assert";
import { extractText, type HtmlForm, parseForms, submitForm as pressed } from "../../src/client/html_form.ts";
import type { Browser } from "./browser.ts";
import { assertPage, type Fields } from "../kit.ts";

const issuer = "https://as.test";

/** A response that is a page, or a redirect. */
export interface Page {
  /** The path, with its query. */
  readonly path: string;
  readonly status: number;
  readonly html: string;
  /** What can be read. */
  readonly text: string;
  readonly forms: readonly HtmlForm[];
  /** Where the browser is sent, away from this server; absent on a page. */
  readonly location?: string;
  readonly response: Response;
}

/** Opens a response, following redirects within this server. */
export async function openPage(browser: Browser, path: string, response: Response): Promise<Page> {
  const location = response.headers.get("location") ?? undefined;
  if (location?.startsWith("/")) return await openPage(browser, location, await browser.get(location));
  const html = await response.clone().text();
  if (location === undefined) {
    // Forms are checked when submitted; everything else is checked like every page.
    await assertPage(
      new Response(html.replace(/<(?:form|input)\b(?:"[^"]*"|[^>"])*>/g, ""), response),
      response.status,
    );
  }
  return {
    path,
    status: response.status,
    html,
    text: extractText(html),
    forms: parseForms(html, issuer + path),
    location,
    response,
  };
}

/** Sends the authorization request of the bench, with changes, and looks at what comes. */
export async function requestAuthorization(browser: Browser, fields: Fields = {}): Promise<Page> {
  return await openPage(browser, "/oauth2/authorize", await browser.authorize(fields));
}

/** What pressing a button would send. */
export function fillForm(
  page: Page,
  name: string,
  value?: string,
  typed: Readonly<Record<string, string>> = {},
  denied: readonly string[] = [],
): { readonly path: string; readonly fields: URLSearchParams } {
  for (const form of page.forms) {
    const button = form.buttons.find((one) => one.name === name && (value === undefined || one.value === value));
    if (button === undefined || !Object.keys(typed).every((key) => form.controls.some((one) => one.name === key))) {
      continue;
    }
    const { url, form: fields } = pressed(form, button, typed, (box) => denied.includes(box.value));
    return { path: url.replace(issuer, ""), fields };
  }
  throw new Error(`no button ${name}=${value} on: ${page.text}`);
}

/** Presses a button, and looks at what comes. */
export async function submit(browser: Browser, ...button: Parameters<typeof fillForm>): Promise<Page> {
  const { path, fields } = fillForm(...button);
  return await openPage(browser, path, await send(browser, path, fields));
}

/** Sends a form as it is. */
export function send(
  browser: Browser,
  path: string,
  fields: URLSearchParams,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return browser.get(path, {
    method: "POST",
    body: fields.toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  });
}

/** Which page it is: `login`, `consent`, or where the browser was sent: `code`, or the error. */
export function describePage({ html, location, text, status }: Page): string {
  if (location !== undefined) {
    const { searchParams } = new URL(location);
    return searchParams.has("code") ? "code" : searchParams.get("error") ?? location;
  }
  if (html.includes('action="/oauth2/consent"')) return "consent";
  if (html.includes('action="/oauth2/login"')) return "login";
  return `${status} ${text}`;
}

/** The code that the browser was sent away with. */
export function getCode(page: Page): string {
  const code = new URL(page.location ?? "none:").searchParams.get("code");
  assert(code !== null, `no code, but ${describePage(page)}`);
  return code;
}

/** Logs in by a click on the login page of a request, and returns the next page. */
export async function logIn(browser: Browser, sub: string, fields: Fields = {}): Promise<Page> {
  const page = await requestAuthorization(browser, fields);
  assertEquals(describePage(page), "login");
  return await submit(browser, page, "sub", sub);
}

/** Logs in and allows everything; returns the response to the client. */
export async function logInAndAllow(browser: Browser, sub: string, fields: Fields = {}): Promise<Page> {
  const page = await logIn(browser, sub, fields);
  return describePage(page) === "consent" ? await submit(browser, page, "decision", "allow") : page;
}
