/** A driver of a web application that is configured with the issuer: a browser logs in to it over HTTP. */

import { readLimited } from "../server/fetching/outbound.ts";
import { exactFetch } from "../platform/runtime/send_request.ts";
import { type CookieJar, cookieJar } from "../testing/browser/cookie_jar.ts";
import { type FormControl, parseForms, submitForm } from "../client/html_form.ts";
import { describeError } from "./assess.ts";
import { browserHeaders, type Relation, relationOf, type Sender } from "./browser_headers.ts";
import {
  assertMayBegin,
  type ClientBrowser,
  type ClientDriver,
  type ClientJourney,
  type ClientSession,
  EndlessLoginError,
  LoginLimitError,
  NoUserPageError,
  UndecidedError,
  unknownUser,
  UnreachableError,
} from "./driver.ts";
import { anotherUser, type PageSession, type Reading, userReader, type UserTexts } from "./user_texts.ts";
import {
  describeWebPage,
  isSame,
  mayOpen,
  originOf,
  type Page,
  resolve,
  retryAfterOf,
  signatureOf,
} from "./web_page.ts";
import type { Callback } from "../testing/browser/callback.ts";
import { stripQuery } from "../testing/browser/test_browser.ts";
import type { TestClientOptions } from "../testing/clients.ts";
import type { Fetch } from "../testing/fetch.ts";

/** Options of {@link webApplication}. */
export interface WebApplicationOptions extends UserTexts {
  /** The name in the report. Default: the origin of the application. */
  readonly name?: string;
  /**
   * A URL whose response shows whether the user is logged in: without a login it responds differently, such as with 401
   * or a redirect. Default: the URL where the login ends.
   */
  readonly loggedInUrl?: string | URL;
  /** A URL at which the application refreshes its tokens. Default: the attacks on refreshes are skipped. */
  readonly refreshUrl?: string | URL;
  /** A URL at which the application uses its access token. Default: the attacks on its use are skipped. */
  readonly apiUrl?: string | URL;
  /**
   * A URL at which the application logs out. If a page has a form with this action, the form is submitted. Default: the
   * attacks on logout are skipped.
   */
  readonly logoutUrl?: string | URL;
  /** See {@link ClientDriver.client}. Default: the client that logs in, without further URIs. */
  readonly client?: TestClientOptions;
  /** Sends the requests to the application. Default: over HTTP, with the header fields of a browser. */
  readonly fetch?: Fetch;
}

/** The page of `loggedInUrl` before and after the first login, and a text that only the page after it has. */
interface Probe {
  readonly before: Page;
  readonly after: Page;
  readonly text?: string;
  /** The number of authorization requests in the login: some applications first send one with `prompt=none`. */
  readonly authorizations: number;
}

/** A request of the browser; a POST if it has a form. */
interface Step {
  readonly url: string;
  readonly form?: URLSearchParams;
  /** The `Origin` header of a form: the origin of its page, or `null`. Default: none, as in back-channel requests. */
  readonly origin?: string;
  readonly isStart?: boolean;
  /** The other site from whose page the browser comes. Default: none. */
  readonly from?: string;
  /** Default: the user, or a server that posts a form without an origin. */
  readonly sender?: Sender;
  /** Default: that of the page with the form, or of the other site; else the user entered the URL. */
  readonly relation?: Relation;
}

const relationIn = ({ url, form, origin, from = form && origin, relation }: Step): Relation =>
  relation ?? (from === undefined ? "none" : relationOf(from, url));

interface Progress {
  /** Whether it is a logout. Default: a login. */
  readonly isLogout?: boolean;
  /** The number of authorization requests so far. */
  authorizations: number;
  /** Whether the response of the server arrived, or the browser need not come to the server. */
  wasAtServer: boolean;
  /** The user of the browser before that. */
  userBefore?: string;
}

/** The maximum number of requests in one login. */
const maxSteps = 30;

/** The maximum size of a page, in bytes. */
const maxPageBytes = 2_000_000;

/**
 * Drives a web application in any language: opens the URL that starts its login, follows redirects with cookies, logs
 * in at the server, and returns to the application. Then it requests `loggedInUrl` to see whether the application
 * accepted the login, and which user it logged in. If the page does not show it, the attack is skipped.
 *
 * @param loginUrl The URL that starts a login; a page with one form and no text fields is submitted.
 *
 * @example
 * ```ts ignore
 * await as.listen({ port: 9000 });
 * const application = webApplication("http://localhost:3000/login", { loggedInUrl: "http://localhost:3000/me" });
 * const report = await checkClient(application, { as });
 * ```
 */
export function webApplication(loginUrl: string | URL, options: WebApplicationOptions = {}): ClientDriver {
  const { origin, href: start } = new URL(loginUrl);
  const { name = origin, loggedInText = [], refreshUrl, apiUrl, logoutUrl, client } = options;
  const read = userReader(options);
  const { fetch = exactFetch as Fetch } = options;
  let loggedInUrl = options.loggedInUrl && String(options.loggedInUrl);
  let probe: Probe | undefined;
  /** The responses of {@link use} without an attack, by user and URL, without values that differ each time. */
  const usual = new Map<string, string>();
  /** The URLs of data, which the scripts of pages request. */
  const requestedByScripts = new Set<string>();
  /** Whether the page after the response only waits for a click, as a page that asks for consent does. */
  let hasLastForm: boolean | undefined;
  /** The number of logins that each browser has begun and not ended. */
  const openLogins = new WeakMap<ClientBrowser, number>();
  /**
   * Who was logged in to each browser when the page of the user was last requested. During a login it is not requested,
   * because an application that protects the page then begins another login, and may keep only one.
   */
  const users = new WeakMap<ClientBrowser, string | undefined>();

  /** Sends one request of the browser. @throws {UnreachableError} With the URL, if the application does not respond. */
  async function send(step: Step, journey: ClientJourney, cookies: CookieJar): Promise<Page> {
    const { url, form, origin, isStart, from } = step;
    const { issuer, signal } = journey;
    const { "sec-fetch-mode": mode } = journey.headers ?? {};
    const sender = mode === "cors"
      ? "script"
      : step.sender ?? (form !== undefined && origin === undefined ? "server" : "user");
    const headers = new Headers({ ...browserHeaders(url, sender, relationIn(step)), ...journey.headers });
    const cookie = cookies.headerFor(url, from === undefined ? undefined : { url: from, isPost: form !== undefined });
    if (cookie !== undefined) headers.set("cookie", cookie);
    if (form !== undefined) {
      headers.set("content-type", "application/x-www-form-urlencoded");
      // Fetch standard: nothing that is not encrypted receives the origin of an encrypted page.
      const isDowngrade = origin?.startsWith("https:") && !url.startsWith("https:");
      if (origin !== undefined) headers.set("origin", isDowngrade ? "null" : origin);
    }
    const method = form === undefined ? "GET" : "POST";
    const response = await fetch(url, { method, body: form && String(form), headers, redirect: "manual", signal })
      .catch((error) => {
        throw new UnreachableError(
          `${stripQuery(url)} could not be reached: is the application running, and is its issuer ${issuer}?`,
          { cause: error },
        );
      });
    cookies.storeFrom(url, response.headers);
    const { status } = response;
    const location = status >= 300 && status < 400 ? response.headers.get("location") ?? undefined : undefined;
    const page: Page = { url, status, location, html: await readLimited(response, maxPageBytes) };
    const isHtml = /^(?:$|text\/html|application\/xhtml)/i.test(response.headers.get("content-type") ?? "");
    const [html, data] = isHtml ? [page.html] : ["", page.html];
    if (!isHtml && status < 300) requestedByScripts.add(url);
    journey.browser.visits.push({
      ...{ url, status, html, data, location: location && resolve(location, url) },
      headers: { ...Object.fromEntries(response.headers), "set-cookie": response.headers.getSetCookie().join("\n") },
    });
    const retryAfterMs = retryAfterOf(response.headers);
    if (status === 429 || status === 503 && retryAfterMs !== undefined && isStart) {
      throw new LoginLimitError(describeWebPage(page), retryAfterMs);
    }
    return page;
  }

  /** Opens a URL, or lets a script request it if its response was data. */
  const open = (url: string, journey: ClientJourney, cookies = journey.browser.cookies) =>
    send({ url, ...requestedByScripts.has(url) && { sender: "script", relation: "same-origin" } }, journey, cookies);

  /** Performs a login, or with `isCallback` the part after the response, which must log in another user than before. */
  async function navigate(first: Step, journey: ClientJourney, isCallback = false): Promise<ClientSession> {
    const authorizations = isCallback ? usualAuthorizations() : 0;
    const userBefore = isCallback ? users.get(journey.browser) : undefined;
    const progress: Progress = { authorizations, wasAtServer: isCallback, userBefore };
    const end = await follow(first, journey, progress)
      .then((page) => submitLastForm(page, journey, progress))
      .catch((error: unknown) => ({ error }));
    if (!progress.wasAtServer && "error" in end) throw end.error;
    return await readSession(end, progress, journey);
  }

  /** Submits the form of the page after the response, if the first login was complete only then. */
  async function submitLastForm(end: Page, journey: ClientJourney, progress: Progress): Promise<Page> {
    const form = findWaitingForm(end);
    if (form === undefined || loggedInUrl === undefined) return end;
    hasLastForm ??= isSame(await open(loggedInUrl, journey, cookieJar(() => 0)), await open(loggedInUrl, journey));
    return hasLastForm ? await follow(form, journey, progress) : end;
  }

  /** The number of authorization requests in one login; unlimited before the first login. */
  const usualAuthorizations = () => probe?.authorizations ?? Infinity;

  /** Follows redirects, through the server, to a page of the application. */
  async function follow(first: Step, journey: ClientJourney, progress: Progress): Promise<Page> {
    const { issuer, redirectUri, browser, authorize, endSession } = journey;
    let wasSubmitted = false;
    let step = first;
    for (let steps = 0; steps < maxSteps; steps++) {
      const isAtServer = originOf(step.url) === originOf(issuer) && step.form === undefined;
      if (isAtServer && progress.isLogout) {
        const isLogin = /[?&](?:response_type|request|request_uri)=/.test(step.url);
        const callback = isLogin ? undefined : await endSession(step.url);
        // The server shows a page of its own, or the application begins the next login.
        if (callback === undefined) return { url: step.url, status: 200, html: "" };
        step = { url: callback.url, from: issuer };
      } else if (isAtServer) {
        assertMayBegin(progress.authorizations++, usualAuthorizations(), journey);
        steps = 0;
        const { url, method, params } = await authorize(step.url);
        progress.wasAtServer = true;
        step = responseStep({ url, method, params }, issuer);
        progress.userBefore = users.get(browser);
      } else if (!mayOpen(step.url, [start, redirectUri, loggedInUrl, logoutUrl], issuer)) {
        throw new Error(`the application redirects the browser to ${step.url.slice(0, 200)}`);
      }
      if (!/^https?:/i.test(step.url)) {
        throw new Error(`expected a redirect to an http or https URL, received ${step.url.slice(0, 200)}`);
      }
      const page = await send(step, journey, browser.cookies);
      if (page.location !== undefined) {
        const url = resolve(page.location, page.url);
        // As Chromium does; the Fetch standard keeps the origin at the first redirect.
        const origin = originOf(url) === originOf(page.url) ? step.origin : "null";
        const next = { url, sender: step.sender, relation: relationOf(page.url, url, relationIn(step)) };
        step = page.status >= 307 ? { ...step, ...next, origin } : next;
        continue;
      }
      // The page of a logout may ask; the page after it may have a form that logs in.
      const mayWait = progress.isLogout ? steps === 0 && first.form === undefined : !progress.wasAtServer;
      const button = mayWait && !wasSubmitted ? findWaitingForm(page) : undefined;
      if (button !== undefined) {
        wasSubmitted = true;
        step = button;
        continue;
      }
      if (!progress.wasAtServer) throw new Error(`the login did not lead to ${issuer}: ${describeWebPage(page)}`);
      // The page after a logout may need a login.
      const isAfterLogout = progress.isLogout && (page.status === 401 || page.status === 403);
      if (page.status >= 400 && !isAfterLogout) {
        throw new Error(`the ${progress.isLogout ? "logout" : "login"} failed: ${describeWebPage(page)}`);
      }
      return page;
    }
    throw new EndlessLoginError(`the application redirects more than ${maxSteps} times, last to ${step.url}`);
  }

  /** Finds out, from the first login, how the application shows that a user is logged in. */
  async function learn(after: Page, journey: ClientJourney): Promise<Omit<Probe, "authorizations">> {
    // No cookie expires at this time: one request takes only a moment.
    const before = await open(loggedInUrl!, journey, cookieJar(() => 0));
    const { sub: text } = read(after.html, before.html);
    if (typeof loggedInText === "string" && text !== loggedInText) {
      const where = after.html.includes(loggedInText) ? "also without a login" : "not after a login";
      throw new UndecidedError(
        `${loggedInUrl} has the text ${JSON.stringify(loggedInText)} ${where}: ${describeWebPage(after)}. ` +
          "Use a text that the page has only for this user (loggedInText, --logged-in-text).",
      );
    }
    if (text !== undefined || signatureOf(before) !== signatureOf(after)) return { before, after, text };
    throw new UndecidedError(
      `${loggedInUrl} responds the same with and without a login, so it does not show whether the login succeeded: ` +
        `${describeWebPage(after)}. Use a URL that responds differently (loggedInUrl, --logged-in-url), for example ` +
        "with 401 without a login.",
    );
  }

  /**
   * What the page shows of the logged-in user; `undefined` before the first login, which shows how to read it.
   *
   * @param hasFailed Whether the application has reported an error: then a page with an error shows no user.
   */
  async function readUser(journey: ClientJourney, hasFailed = false): Promise<Reading | undefined> {
    if (probe === undefined) return undefined;
    const page = await open(loggedInUrl!, journey).catch((error: unknown) => {
      if (error instanceof LoginLimitError) throw error;
      throw new UndecidedError(`${loggedInUrl} does not show who is logged in`, describeError(error));
    });
    if (hasFailed && page.status >= 400) {
      users.delete(journey.browser);
      return undefined;
    }
    const shown = read(page.html, probe.before.html);
    const sub = userOf(page, probe, shown);
    users.set(journey.browser, sub);
    return { ...shown, sub };
  }

  /**
   * The session that a response began, even if the application reported an error. A session that existed before, and
   * only continues, does not count.
   */
  async function readSession(
    end: Page | { readonly error: unknown },
    { authorizations, userBefore }: Progress,
    journey: ClientJourney,
  ): Promise<PageSession> {
    if ("error" in end) {
      if (probe === undefined || end.error instanceof LoginLimitError) throw end.error;
    } else {
      const isCallback = loggedInUrl === undefined && stripQuery(end.url) === stripQuery(journey.redirectUri);
      const url = loggedInUrl ?? stripQuery(end.url);
      const page = probe === undefined ? await open(url, journey) : undefined;
      if (isCallback && page !== undefined && page.status >= 400) {
        throw new NoUserPageError(
          `the login ends at the redirect URI, which shows the user only once: later ${describeWebPage(page)}. ` +
            "Use another page that only logged-in users see (loggedInUrl, --logged-in-url).",
        );
      }
      loggedInUrl = url;
      probe ??= { ...await learn(page!, journey), authorizations };
    }
    const { sub, ownTexts, otherTexts } = await readUser(journey, "error" in end) ?? {};
    if ("error" in end && (sub === undefined || sub === userBefore)) throw end.error;
    if (sub === undefined) throw new Error(`the application shows no login: ${describeWebPage(end as Page)}`);
    if (sub === userBefore) throw new Error(`the response began no session, and the earlier session continues: ${sub}`);
    return {
      ...{ sub, ownTexts, otherTexts },
      location: "url" in end ? end.url : undefined,
      currentUser: async () => (await readUser(journey))?.sub,
      ...refreshUrl !== undefined && { refresh: () => use(String(refreshUrl), "refresh", journey) },
      ...apiUrl !== undefined && { request: () => use(String(apiUrl), "request", journey) },
      ...logoutUrl !== undefined && { logOut: () => logOut(String(logoutUrl), journey) },
    };
  }

  /** Opens a page that uses tokens. @throws {Error} If it responds in another way than at the first time. */
  async function use(url: string, action: string, journey: ClientJourney): Promise<void> {
    const page = await open(url, journey);
    const text = signatureOf(page).replace(/\d+/g, "0");
    const key = `${users.get(journey.browser) === anotherUser ? anotherUser : "the user"} at ${url}`;
    // An application may respond with 200 and an error. The first time is one without an attack.
    if (page.status < 300 && text === (usual.get(key) ?? text)) return void usual.set(key, text);
    if ((await readUser(journey))?.sub === undefined) {
      throw new Error(`after the ${action}, no one is logged in: ${describeWebPage(page)}`);
    }
    throw new Error(`the ${action} failed: ${describeWebPage(page)}`);
  }

  /** Logs out by the form of a page that leads to the URL, or by a link. */
  async function logOut(url: string, journey: ClientJourney): Promise<void> {
    const forms = journey.browser.visits.toReversed().flatMap((visit) => parseForms(visit.html, visit.url));
    const form = forms.find(({ action }) => stripQuery(action) === stripQuery(url));
    const first = form === undefined ? { url } : { ...submitForm(form, form.buttons[0]), origin: originOf(url) };
    await follow(first, journey, { isLogout: true, authorizations: 0, wasAtServer: true });
  }

  /** The logged-in user, as a page of `loggedInUrl` shows. @throws {UndecidedError} If it does not show the user. */
  function userOf(page: Page, { before, after, text }: Probe, { sub, showsLogout }: Reading): string | undefined {
    if (sub !== undefined && sub !== anotherUser && page.status < 400) return sub;
    if (isSame(page, before)) return undefined;
    if (isSame(page, after) && text === undefined) return unknownUser;
    if (sub !== undefined && page.status < 300) return sub;
    // Only a page after a login has this status or text, but it need not show the user, who may have no name.
    const hasText = text !== undefined && page.status < 400 && page.html.includes(text);
    if (page.status < 300 && (showsLogout || before.status !== page.status) || hasText) return unknownUser;
    throw new UndecidedError(
      `${loggedInUrl} is neither the page before nor the page after a login`,
      describeWebPage(page),
    );
  }

  return {
    name,
    client,
    recordsVisits: true,
    async logIn(journey) {
      const { browser } = journey;
      const count = openLogins.get(browser) ?? 0;
      // An application may start no login for a user who is logged in.
      if (count === 0 || users.get(browser) !== undefined) {
        browser.cookies.clear();
        users.delete(browser);
      }
      openLogins.set(browser, count + 1);
      try {
        const url = new URL(start);
        for (const [name, value] of Object.entries(journey.loginParameters ?? {})) url.searchParams.set(name, value);
        return await navigate({ url: url.href, isStart: true }, journey);
      } finally {
        openLogins.set(browser, openLogins.get(browser)! - 1);
      }
    },
    async receiveCallback(journey, { url, method, params }) {
      return await navigate(responseStep({ url, method, params }, journey.issuer), journey, true);
    },
    async receive(journey, request) {
      const form = request.method === "POST" ? new URLSearchParams(await request.text()) : undefined;
      // A POST is a back-channel request.
      const cookies = form === undefined ? journey.browser.cookies : cookieJar(() => 0);
      const { status, location, html } = await send(
        form === undefined
          ? { url: request.url, sender: "frame", relation: relationOf(journey.issuer, request.url) }
          : { url: request.url, form },
        journey,
        cookies,
      );
      return new Response(html || null, { status, headers: location === undefined ? {} : { location } });
    },
  };
}

/** The request that brings an authorization response. The page of form_post has the referrer policy `no-referrer`. */
function responseStep({ url, method, params }: Pick<Callback, "url" | "method" | "params">, from: string): Step {
  return method === "POST" ? { url, form: params, origin: "null", from, sender: "page" } : { url, from };
}

/** The form of a page that only waits for a click: the only one to be posted, without fields to fill in. */
function findWaitingForm({ html, url, status }: Page): Step | undefined {
  if (status >= 400) return undefined;
  const isFilled = ({ type, value }: FormControl) => type === "hidden" || value !== "";
  const forms = parseForms(html, url).filter(({ controls }) => controls.every(isFilled));
  return forms.length === 1 ? { ...submitForm(forms[0]!, forms[0]!.buttons[0]), origin: originOf(url) } : undefined;
}
