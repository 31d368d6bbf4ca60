/** The user agent: a browser that keeps cookies, answers the server's forms, and stops where the client is called back. */

import type { Explanation } from "../../oauth/trace.ts";
import { cookieJar } from "./cookie_jar.ts";
import type { CookieJar } from "./cookie_jar.ts";
import { announced } from "../fetch.ts";
import { press, readForms, readText } from "./html_form.ts";
import type { HtmlForm } from "./html_form.ts";
import { LogInError } from "../login_error.ts";
import type { Explain, Told } from "../login_error.ts";
import type { Mishap } from "../internal_error.ts";
import { personHeader, writePerson } from "../persona.ts";
import type { Person } from "../persona.ts";
import { questionIn } from "../page_prompt.ts";

/** What a user agent is made of, and who sits in front of it. */
export interface UserAgentOptions extends Person {
  /** The issuer in effect: everything below it is the server's, everything else is the client's. */
  readonly issuer: () => string;
  /** Sends one request to the server and follows no redirect, such as `latchkey().fetch`. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** By which cookies expire, in milliseconds since the epoch. Default: they do not. */
  readonly now?: () => number;
  /** Says why a request was refused, for the errors thrown here. Default: they say what the page says. */
  readonly explain?: Explain;
}

/** What a client's redirect URI received. */
export interface Callback {
  /**
   * Where the browser was sent, with the query: a string, as that of a `Response` is. For a client library that takes a
   * URL, such as openid-client: `new URL(callback.url)`.
   */
  readonly url: string;
  /** `POST` where the answer came by `response_mode=form_post`. */
  readonly method: "GET" | "POST";
  /** All of the answer, as `URLSearchParams` hold it: `params.get("code")`. Of a form, they are not in `url`. */
  readonly params: URLSearchParams;
  /** The authorization code. */
  readonly code?: string;
  /** As the client sent it. */
  readonly state?: string;
  /** The issuer, by its own word (RFC 9207). */
  readonly iss?: string;
  /** The error code, where the answer is no. */
  readonly error?: string;
  /** One sentence about the error. */
  readonly errorDescription?: string;
  /** Why the answer is no, in full, where the server explained itself. */
  readonly why?: Explanation;
  /** What the server met and did not foresee, where that is the reason. */
  readonly mishap?: Mishap;
}

/** Parameters of a request: an array repeats one, `undefined` leaves one out. */
export type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What logging out may be told. */
export interface LogOutOptions {
  /** An id token of the session, which spares the question whether to log out. */
  readonly idToken?: string;
  /** The client that asks. */
  readonly clientId?: string;
  /** Where to go afterwards; one that the client registered. */
  readonly postLogoutRedirectUri?: string;
  /** Sent along to there. */
  readonly state?: string;
}

/** One browser, with cookies of its own. */
export interface UserAgent {
  /** Its cookies. */
  readonly cookies: CookieJar;
  /**
   * Opens an address of the server and goes wherever the server's redirects lead below the issuer. Gives back the last
   * answer, which is a redirect where it leads elsewhere. Answers no forms.
   *
   * @param url Absolute, or a path below the issuer.
   */
  open(url: string | URL, init?: RequestInit): Promise<Response>;
  /**
   * Walks an authorization request to its end: logs in, consents, and gives back what the redirect URI received, an
   * error included.
   *
   * @param request A whole URL, or the parameters of a request to this server.
   * @throws {LogInError} Where the server shows a page of its own, such as the one for a wrong `redirect_uri`.
   */
  authorize(request: string | URL | Parameters, person?: Person): Promise<Callback>;
  /**
   * Logs out at the end session endpoint, saying yes where it asks.
   *
   * @returns What the client received, where the browser was sent on to it.
   * @throws {LogInError} Where the server refuses.
   */
  logOut(options?: LogOutOptions): Promise<Callback | undefined>;
}

/** Opens a browser without cookies. Several are several browsers. */
export function userAgent(options: UserAgentOptions): UserAgent {
  const { now = () => 0 } = options;
  const cookies = cookieJar(now);
  const issuer = () => options.issuer().replace(/\/$/, "");

  const locate = (url: string | URL) => {
    const text = String(url);
    return text.startsWith("/") ? issuer() + text : text;
  };

  /** Whether an address is the client's: outside the issuer, or where the client said that it waits. */
  const leaves = (url: string, waits?: string) => {
    const place = placeOf(url);
    return waits !== undefined && place === placeOf(waits) || !`${place}/`.startsWith(`${issuer()}/`);
  };

  async function send({ url, form }: Step, person: Person, init: RequestInit = {}): Promise<Visit> {
    if (new URL(url).origin !== new URL(issuer()).origin) {
      throw new TypeError(`url: expected an address of ${issuer()}, found ${url}`);
    }
    const headers = new Headers(init.headers);
    const who = writePerson(person);
    if (who !== undefined) headers.set(personHeader, who);
    const cookie = cookies.headerFor(url);
    if (cookie !== undefined) headers.set("cookie", cookie);
    const posted = form && { method: "POST", body: form };
    const request = announced(new Request(url, { ...init, ...posted, headers, redirect: "manual" }), form ?? init.body);
    const response = await options.fetch(request);
    cookies.keep(url, response.headers);
    return { url, response, told: options.explain?.(request) ?? {}, next: nextOf(url, form, response) };
  }

  /**
   * Goes where it is sent, and where `answer` goes from a page, until that is a place of the client; `undefined` where a
   * page is the end.
   */
  async function walk(
    start: string,
    waits: string | undefined,
    person: Person,
    answer: (page: Page) => Step | undefined,
  ): Promise<Callback | undefined> {
    let step: Step = { url: start };
    for (let steps = 0; steps < longestWalk; steps++) {
      const visit = await send(step, person);
      const next = visit.next ?? answer(await pageOf(visit));
      if (next === undefined) return undefined;
      if (leaves(next.url, waits)) return callbackOf(next, visit.told);
      step = next;
    }
    throw new LogInError(`The server sends the browser in circles, last to ${step.url}`);
  }

  return {
    cookies,

    async open(url, init) {
      let visit = await send({ url: locate(url) }, options, init);
      for (let steps = 0; steps < longestWalk; steps++) {
        const { next, response } = visit;
        if (next === undefined || leaves(next.url)) break;
        await response.body?.cancel();
        visit = await send(next, options);
      }
      return visit.response;
    },

    async authorize(request, more = {}) {
      const said = Object.entries(more).filter(([, value]) => value !== undefined);
      const person: Person = { ...options, ...Object.fromEntries(said) };
      const url = typeof request === "string" || request instanceof URL
        ? locate(request)
        : `${locate("/oauth2/authorize")}?${encode(request)}`;
      const waits = new URL(url).searchParams.get("redirect_uri") ?? undefined;
      const asked = new Set<string>();
      const callback = await walk(url, waits, person, (page) => {
        const question = page.status < 400 ? questionIn(page.forms, (action) => leaves(action, waits)) : undefined;
        if (question === undefined || asked.has(question.name)) throw stoppedBy(page, question?.name);
        asked.add(question.name);
        return question.answer(person);
      });
      return callback!;
    },

    async logOut({ idToken, clientId, postLogoutRedirectUri, state } = {}) {
      const url = locate("/oauth2/logout");
      const query = encode({
        id_token_hint: idToken,
        client_id: clientId,
        post_logout_redirect_uri: postLogoutRedirectUri,
        state,
      });
      return await walk(`${url}?${query}`, postLogoutRedirectUri, options, (page) => {
        if (page.status >= 400) throw stoppedBy(page);
        const form = page.forms.find(({ action }) => action === url);
        return form && press(form, form.buttons[0]);
      });
    },
  };
}

/** Requests. More than any login takes. */
const longestWalk = 20;

/** A request that a browser makes: `POST` where there is a form. */
interface Step {
  readonly url: string;
  readonly form?: URLSearchParams;
}

/** A step that was taken. */
interface Visit {
  readonly url: string;
  readonly response: Response;
  /** Why it was refused. */
  readonly told: Told;
  /** Where a redirect leads. */
  readonly next?: Step;
}

/** A page that was shown. */
interface Page {
  readonly url: string;
  readonly status: number;
  readonly text: string;
  readonly forms: readonly HtmlForm[];
  readonly told: Told;
}

/** Form-encodes parameters. */
export function encode(params: Parameters): string {
  const pairs = Object.entries(params).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => [name, one] as [string, string])
  );
  return new URLSearchParams(pairs).toString();
}

/** An address without query and fragment. */
function placeOf(url: string): string {
  return url.replace(/[?#].*$/, "");
}

function nextOf(url: string, form: URLSearchParams | undefined, { status, headers }: Response): Step | undefined {
  const location = status >= 300 && status < 400 ? headers.get("location") : null;
  if (location === null) return undefined;
  // As it was written: `URL` would spell some addresses another way.
  const absolute = /^[a-z][a-z0-9+.-]*:/i.test(location) ? location : new URL(location, url).href;
  return { url: absolute, form: status === 307 || status === 308 ? form : undefined };
}

function callbackOf({ url, form }: Step, told: Told): Callback {
  const query = url.replace(/^[^?#]*\??/, "").replace(/#.*$/, "");
  const params = form ?? new URLSearchParams(query);
  const named = (name: string) => params.get(name) ?? undefined;
  return {
    url,
    method: form === undefined ? "GET" : "POST",
    params,
    code: named("code"),
    state: named("state"),
    iss: named("iss"),
    error: named("error"),
    errorDescription: named("error_description"),
    ...params.has("error") ? told : undefined,
  };
}

async function pageOf({ url, response, told }: Visit): Promise<Page> {
  const html = await response.text();
  return { url, status: response.status, text: readText(html), forms: readForms(html, url), told };
}

/** What is thrown where the walk ends on a page; `again` says what had been answered before. */
function stoppedBy({ url, status, text, told }: Page, again?: string): LogInError {
  const message = again === undefined
    ? `${placeOf(url)} showed a page of its own instead of sending the browser on: status ${status}`
    : `${placeOf(url)} asks ${again} again: status ${status}`;
  return new LogInError(told.why === undefined ? `${message}\n  ${text.slice(0, shownText)}` : message, {
    ...told,
    status,
  });
}

/** As much of a page as an error repeats, in characters. */
const shownText = 600;
