/** A person's way through the pages of login and consent: what is shown, and what is sent when a button is pressed. */

import { assert, assertEquals } from "@std/assert";
import { press as pressed, readForms, readText } from "../../src/testing/browser/html_form.ts";
import type { HtmlForm } from "../../src/testing/browser/html_form.ts";
import type { Browser } from "./browser.ts";
import { shownPage } from "./harness.ts";
import type { Fields } from "./harness.ts";

const issuer = "https://as.test";

/** An answer that a person looks at, or one that leads away. */
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

/** Looks at an answer, going wherever this server leads within itself. */
export async function look(browser: Browser, path: string, answer: Response): Promise<Page> {
  const location = answer.headers.get("location") ?? undefined;
  if (location?.startsWith("/")) return await look(browser, location, await browser.get(location));
  const html = await answer.clone().text();
  if (location === undefined) {
    // What forms hold is judged by those who press their buttons; all else is judged like every page.
    await shownPage(new Response(html.replace(/<(?:form|input)\b(?:"[^"]*"|[^>"])*>/g, ""), answer), answer.status);
  }
  return {
    path,
    status: answer.status,
    html,
    text: readText(html),
    forms: readForms(html, issuer + path),
    location,
    response: answer,
  };
}

/** Sends the authorization request of the bench, with changes, and looks at what comes. */
export async function ask(browser: Browser, fields: Fields = {}): Promise<Page> {
  return await look(browser, "/oauth2/authorize", await browser.authorize(fields));
}

/** What pressing a button would send. */
export function filled(
  page: Page,
  name: string,
  value?: string,
  typed: Readonly<Record<string, string>> = {},
  unticked: readonly string[] = [],
): { readonly path: string; readonly fields: URLSearchParams } {
  for (const form of page.forms) {
    const button = form.buttons.find((one) => one.name === name && (value === undefined || one.value === value));
    if (button === undefined || !Object.keys(typed).every((key) => form.controls.some((one) => one.name === key))) {
      continue;
    }
    const { url, form: fields } = pressed(form, button, typed, (box) => unticked.includes(box.value));
    return { path: url.replace(issuer, ""), fields };
  }
  throw new Error(`no button ${name}=${value} on: ${page.text}`);
}

/** Presses a button, and looks at what comes. */
export async function press(browser: Browser, ...what: Parameters<typeof filled>): Promise<Page> {
  const { path, fields } = filled(...what);
  return await look(browser, path, await send(browser, path, fields));
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
export function landing({ html, location, text, status }: Page): string {
  if (location !== undefined) {
    const { searchParams } = new URL(location);
    return searchParams.has("code") ? "code" : searchParams.get("error") ?? location;
  }
  if (html.includes('action="/oauth2/consent"')) return "consent";
  if (html.includes('action="/oauth2/login"')) return "login";
  return `${status} ${text}`;
}

/** The code that the browser was sent away with. */
export function codeOf(page: Page): string {
  const code = new URL(page.location ?? "none:").searchParams.get("code");
  assert(code !== null, `no code, but ${landing(page)}`);
  return code;
}

/** Logs in by a click on the login page that a request leads to, and gives back the page after it. */
export async function logIn(browser: Browser, sub: string, fields: Fields = {}): Promise<Page> {
  const page = await ask(browser, fields);
  assertEquals(landing(page), "login");
  return await press(browser, page, "sub", sub);
}

/** Logs in and allows everything; gives back what the client is sent. */
export async function logInAndAllow(browser: Browser, sub: string, fields: Fields = {}): Promise<Page> {
  const page = await logIn(browser, sub, fields);
  return landing(page) === "consent" ? await press(browser, page, "decision", "allow") : page;
}
