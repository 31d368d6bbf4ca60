/** A driver of a single-page application in a browser: its pages show who is logged in. */

import type {
  BrowserContext,
  DocumentRequest,
  DocumentResponse,
  PageContent,
  ScriptedPage,
} from "../platform/runtime/chromium.ts";
import type { Callback } from "../testing/browser/callback.ts";
import { stripQuery } from "../testing/browser/test_browser.ts";
import { unlessAborted } from "../platform/http/unless_aborted.ts";
import {
  assertMayBegin,
  type ClientBrowser,
  type ClientDriver,
  type ClientJourney,
  unknownUser,
  UnreachableError,
} from "./driver.ts";
import { markupOf } from "./markers.ts";
import { type PageSession, userReader, type UserTexts } from "./user_texts.ts";
import { mayOpen, originOf } from "./web_page.ts";

/** Options of {@link singlePageApplication}. */
export interface SinglePageOptions extends UserTexts {
  /** Opens a browser context without cookies. */
  openContext(): Promise<BrowserContext>;
}

/** The texts of buttons and links that log in. */
const loginText = /^(?:log|sign)[ -]?in\b/i;

/** A page of the application. */
interface Tab {
  readonly page: ScriptedPage;
  journey: ClientJourney;
  /** The number of authorization requests. */
  authorizations: number;
  /** What the server or the check rejected. */
  failure?: unknown;
}

/** What a browser of the check has opened. */
interface Opened {
  readonly context: BrowserContext;
  /** The newest page. */
  tab?: Tab;
  /** The number of logins that have begun and not ended. */
  logins: number;
  /** Who was logged in at the end of the last one. */
  user?: string;
}

/**
 * Drives a single-page application: opens its URL, and clicks "Log in" or "Sign in" if it does not begin a login by
 * itself. Authorization requests of its pages go to the browser of the journey, whose response the page gets.
 */
export function singlePageApplication(loginUrl: string, { openContext, ...texts }: SinglePageOptions): ClientDriver {
  const read = userReader(texts);
  const browsers = new WeakMap<ClientBrowser, Opened>();
  /** The number of authorization requests of the first login. */
  let usualAuthorizations: number | undefined;

  async function open({ browser, signal }: ClientJourney): Promise<Opened> {
    const opened: Opened = { context: await openContext(), logins: 0 };
    browsers.set(browser, opened);
    const close = () => {
      browsers.delete(browser);
      opened.context.close().catch(() => {});
    };
    signal.aborted ? close() : signal.addEventListener("abort", close, { once: true });
    return opened;
  }

  async function openTab(opened: Opened, journey: ClientJourney): Promise<Tab> {
    const { browser: { visits }, headers } = journey;
    /** The last document of the page, and of its frames. */
    const last = new Map<boolean, string>();
    const page = await opened.context.openPage({
      headers,
      watched: ["latchkey", (url) => void visits.push({ url, html: markupOf("script") })],
      receive({ url, isDocument, status, headers, body }) {
        if (originOf(url) === originOf(journey.issuer)) return;
        // A page may replace its URL.
        visits.push({ url: isDocument ? stripQuery(url) : url, status, headers, html: "", data: body });
      },
      async respond(request) {
        const { url, isInFrame } = request;
        const [from, { issuer, redirectUri }] = [last.get(isInFrame), tab.journey];
        last.set(isInFrame, url);
        if (originOf(url) === originOf(issuer)) return await respondAsServer(tab, request);
        if (from !== undefined && originOf(from) !== originOf(issuer)) {
          visits.push({ url: from, location: url, html: "" });
        }
        const isOpened = tab.failure === undefined && mayOpen(url, [loginUrl, redirectUri], issuer);
        return isOpened ? undefined : { status: 404 };
      },
    });
    const tab: Tab = { page, journey, authorizations: 0 };
    return opened.tab = tab;
  }

  /** The response to a request for a document of the server. Default: that of the server itself. */
  async function respondAsServer(
    tab: Tab,
    { url, isInFrame }: DocumentRequest,
  ): Promise<DocumentResponse | undefined> {
    if (!/[?&](?:response_type|request|request_uri)=/.test(url)) return undefined;
    try {
      if (!isInFrame) assertMayBegin(tab.authorizations++, usualAuthorizations ?? Infinity, tab.journey);
      const callback = await tab.journey.authorize(url);
      return callback.method === "GET"
        ? { status: 302, headers: { location: callback.url } }
        : { status: 200, headers: { "content-type": "text/html" }, body: postPage(callback) };
    } catch (error) {
      if (!isInFrame) tab.failure ??= error;
      return { status: 400 };
    }
  }

  /** The session that the page shows; not that of a user who was logged in before. */
  function sessionOf(
    { authorizations, failure, journey: { browser } }: Tab,
    opened: Opened,
    { url, text, html, cookies }: PageContent,
    before?: string,
  ): PageSession {
    browser.visits.push({ url, html, headers: { "set-cookie": cookies.replaceAll("; ", "\n") } });
    const shown = read(text);
    const sub = shown.sub ?? (shown.showsLogout ? unknownUser : undefined);
    if (sub === undefined || sub === before) {
      throw failure ?? new Error(`the page shows no new user: ${text.slice(0, 300)}`);
    }
    usualAuthorizations ??= authorizations;
    opened.user = sub;
    return { ...shown, sub, location: url };
  }

  /** Opens a URL. @throws {UnreachableError} If the application does not respond. */
  async function navigate({ page }: Tab, url: string): Promise<void> {
    const problem = await page.navigate(url);
    if (problem !== undefined && /REFUSED|NOT_RESOLVED|UNREACHABLE/.test(problem)) {
      throw new UnreachableError(`${url} could not be reached: ${problem}`);
    }
  }

  async function logIn(journey: ClientJourney): Promise<PageSession> {
    const { browser, signal, loginParameters = {} } = journey;
    const earlier = browsers.get(browser);
    const isFresh = earlier === undefined || earlier.logins === 0 || earlier.user !== undefined;
    if (isFresh) await earlier?.context.close();
    const opened = isFresh ? await open(journey) : earlier;
    opened.logins++;
    try {
      const tab = await openTab(opened, journey);
      const url = new URL(loginUrl);
      for (const [name, value] of Object.entries(loginParameters)) url.searchParams.set(name, value);
      await navigate(tab, url.href);
      let content = await tab.page.settle(signal);
      const waits = tab.authorizations === 0 && read(content.text).sub === undefined;
      if (waits && await tab.page.click(loginText)) content = await tab.page.settle(signal);
      return sessionOf(tab, opened, content);
    } finally {
      opened.logins--;
    }
  }

  async function receiveCallback(journey: ClientJourney, callback: Callback): Promise<PageSession> {
    const opened = browsers.get(journey.browser) ?? await open(journey);
    const { user, tab = await openTab(opened, journey) } = opened;
    Object.assign(tab, { journey, authorizations: usualAuthorizations });
    // Leaves the page first, as a login does: a URL that differs only in its fragment would load nothing.
    if (callback.method === "POST") await tab.page.write(postPage(callback));
    else for (const url of ["about:blank", callback.url]) await navigate(tab, url);
    return sessionOf(tab, opened, await tab.page.settle(journey.signal), user);
  }

  return {
    name: new URL(loginUrl).origin,
    ...{ recordsVisits: true, startsFresh: true },
    logIn: (journey) => unlessAborted(logIn(journey), journey.signal),
    receiveCallback: (journey, callback) => unlessAborted(receiveCallback(journey, callback), journey.signal),
  };
}

/** A page that posts an authorization response. */
function postPage({ url, params }: Callback): string {
  const escape = (text: string) => text.replace(/[&"<]/g, (char) => `&#${char.charCodeAt(0)};`);
  const inputs = [...params].map(([name, value]) => `<input name="${escape(name)}" value="${escape(value)}">`);
  const form = `<form method=post action="${escape(url)}">${inputs.join("")}</form>`;
  return `${form}<script>document.forms[0].submit()</script>`;
}
