/** The user agent: a browser that keeps cookies, answers the server's forms, and stops where the client is called back. */

import type { Explanation } from "../../oauth/trace.ts";
import { cookieJar } from "./cookie_jar.ts";
import type { CookieJar } from "./cookie_jar.ts";
import { withContentLength } from "../fetch.ts";
import { extractText, parseForms, submitForm } from "./html_form.ts";
import type { HtmlForm } from "./html_form.ts";
import { LoginError } from "../login_error.ts";
import type { ExplainRejection, RejectionDetails } from "../login_error.ts";
import type { InternalError } from "../internal_error.ts";
import { formatPersona, personaHeader } from "../persona.ts";
import type { Persona } from "../persona.ts";
import { findPagePrompt } from "../page_prompt.ts";

/** What a user agent is made of, and who sits in front of it. */
export interface TestBrowserOptions extends Persona {
  /** The issuer in effect: everything below it is the server's, everything else is the client's. */
  readonly issuer: () => string;
  /** Sends one request to the server and follows no redirect, such as `latchkey().fetch`. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** By which cookies expire, in milliseconds since the epoch. Default: they do not. */
  readonly now?: () => number;
  /** Says why a request was refused, for the errors thrown here. Default: they say what the page says. */
  readonly explain?: ExplainRejection;
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
  readonly explanation?: Explanation;
  /** What the server met and did not foresee, where that is the reason. */
  readonly internalError?: InternalError;
}

/** Parameters of a request: an array repeats one, `undefined` leaves one out. */
export type RequestParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What logging out may be told. */
export interface LogoutOptions {
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
export interface TestBrowser {
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
   * @throws {LoginError} Where the server shows a page of its own, such as the one for a wrong `redirect_uri`.
   */
  authorize(request: string | URL | RequestParameters, person?: Persona): Promise<Callback>;
  /**
   * Logs out at the end session endpoint, saying yes where it asks.
   *
   * @returns What the client received, where the browser was sent on to it.
   * @throws {LoginError} Where the server refuses.
   */
  logOut(options?: LogoutOptions): Promise<Callback | undefined>;
}

/** Opens a browser without cookies. Several are several browsers. */
export function testBrowser(options: TestBrowserOptions): TestBrowser {
  const { now = () => 0 } = options;
  const cookies = cookieJar(now);
  const issuer = () => options.issuer().replace(/\/$/, "");

  const resolveUrl = (url: string | URL) => {
    const text = String(url);
    return text.startsWith("/") ? issuer() + text : text;
  };

  /** Whether an address is the client's: outside the issuer, or where the client said that it waits. */
  const isClientUrl = (url: string, redirectUri?: string) => {
    const location = stripQuery(url);
    return redirectUri !== undefined && location === stripQuery(redirectUri) ||
      !`${location}/`.startsWith(`${issuer()}/`);
  };

  async function send({ url, form }: NavigationStep, persona: Persona, init: RequestInit = {}): Promise<Visit> {
    if (new URL(url).origin !== new URL(issuer()).origin) {
      throw new TypeError(`url: expected an address of ${issuer()}, found ${url}`);
    }
    const headers = new Headers(init.headers);
    const personaText = formatPersona(persona);
    if (personaText !== undefined) headers.set(personaHeader, personaText);
    const cookie = cookies.headerFor(url);
    if (cookie !== undefined) headers.set("cookie", cookie);
    const postInit = form && { method: "POST", body: form };
    const request = withContentLength(
      new Request(url, { ...init, ...postInit, headers, redirect: "manual" }),
      form ?? init.body,
    );
    const response = await options.fetch(request);
    cookies.storeFrom(url, response.headers);
    return { url, response, rejection: options.explain?.(request) ?? {}, next: findRedirect(url, form, response) };
  }

  /**
   * Goes where it is sent, and where `answer` goes from a page, until that is a place of the client; `undefined` where a
   * page is the end.
   */
  async function navigate(
    start: string,
    redirectUri: string | undefined,
    persona: Persona,
    submit: (page: Page) => NavigationStep | undefined,
  ): Promise<Callback | undefined> {
    let step: NavigationStep = { url: start };
    for (let steps = 0; steps < maxNavigationSteps; steps++) {
      const visit = await send(step, persona);
      const next = visit.next ?? submit(await readPage(visit));
      if (next === undefined) return undefined;
      if (isClientUrl(next.url, redirectUri)) return toCallback(next, visit.rejection);
      step = next;
    }
    throw new LoginError(`The server sends the browser in circles, last to ${step.url}`);
  }

  return {
    cookies,

    async open(url, init) {
      let visit = await send({ url: resolveUrl(url) }, options, init);
      for (let steps = 0; steps < maxNavigationSteps; steps++) {
        const { next, response } = visit;
        if (next === undefined || isClientUrl(next.url)) break;
        await response.body?.cancel();
        visit = await send(next, options);
      }
      return visit.response;
    },

    async authorize(request, overrides = {}) {
      const definedOverrides = Object.entries(overrides).filter(([, value]) => value !== undefined);
      const persona: Persona = { ...options, ...Object.fromEntries(definedOverrides) };
      const url = typeof request === "string" || request instanceof URL
        ? resolveUrl(request)
        : `${resolveUrl("/oauth2/authorize")}?${encodeParameters(request)}`;
      const redirectUri = new URL(url).searchParams.get("redirect_uri") ?? undefined;
      const answeredPrompts = new Set<string>();
      const callback = await navigate(url, redirectUri, persona, (page) => {
        const prompt = page.status < 400
          ? findPagePrompt(page.forms, (action) => isClientUrl(action, redirectUri))
          : undefined;
        if (prompt === undefined || answeredPrompts.has(prompt.name)) throw unexpectedPageError(page, prompt?.name);
        answeredPrompts.add(prompt.name);
        return prompt.submit(persona);
      });
      return callback!;
    },

    async logOut({ idToken, clientId, postLogoutRedirectUri, state } = {}) {
      const url = resolveUrl("/oauth2/logout");
      const query = encodeParameters({
        id_token_hint: idToken,
        client_id: clientId,
        post_logout_redirect_uri: postLogoutRedirectUri,
        state,
      });
      return await navigate(`${url}?${query}`, postLogoutRedirectUri, options, (page) => {
        if (page.status >= 400) throw unexpectedPageError(page);
        const form = page.forms.find(({ action }) => action === url);
        return form && submitForm(form, form.buttons[0]);
      });
    },
  };
}

/** Requests. More than any login takes. */
const maxNavigationSteps = 20;

/** A request that a browser makes: `POST` where there is a form. */
interface NavigationStep {
  readonly url: string;
  readonly form?: URLSearchParams;
}

/** A step that was taken. */
interface Visit {
  readonly url: string;
  readonly response: Response;
  /** Why it was refused. */
  readonly rejection: RejectionDetails;
  /** Where a redirect leads. */
  readonly next?: NavigationStep;
}

/** A page that was shown. */
interface Page {
  readonly url: string;
  readonly status: number;
  readonly text: string;
  readonly forms: readonly HtmlForm[];
  readonly rejection: RejectionDetails;
}

/** Form-encodes parameters. */
export function encodeParameters(params: RequestParameters): string {
  const pairs = Object.entries(params).flatMap(([name, value]) =>
    [value ?? []].flat().map((item) => [name, item] as [string, string])
  );
  return new URLSearchParams(pairs).toString();
}

/** An address without query and fragment. */
function stripQuery(url: string): string {
  return url.replace(/[?#].*$/, "");
}

function findRedirect(
  url: string,
  form: URLSearchParams | undefined,
  { status, headers }: Response,
): NavigationStep | undefined {
  const location = status >= 300 && status < 400 ? headers.get("location") : null;
  if (location === null) return undefined;
  // As it was written: `URL` would spell some addresses another way.
  const absolute = /^[a-z][a-z0-9+.-]*:/i.test(location) ? location : new URL(location, url).href;
  return { url: absolute, form: status === 307 || status === 308 ? form : undefined };
}

function toCallback({ url, form }: NavigationStep, rejection: RejectionDetails): Callback {
  const query = url.replace(/^[^?#]*\??/, "").replace(/#.*$/, "");
  const params = form ?? new URLSearchParams(query);
  const getParam = (name: string) => params.get(name) ?? undefined;
  return {
    url,
    method: form === undefined ? "GET" : "POST",
    params,
    code: getParam("code"),
    state: getParam("state"),
    iss: getParam("iss"),
    error: getParam("error"),
    errorDescription: getParam("error_description"),
    ...params.has("error") ? rejection : undefined,
  };
}

async function readPage({ url, response, rejection }: Visit): Promise<Page> {
  const html = await response.text();
  return { url, status: response.status, text: extractText(html), forms: parseForms(html, url), rejection };
}

/** What is thrown where the walk ends on a page; `again` says what had been answered before. */
function unexpectedPageError({ url, status, text, rejection }: Page, repeatedPrompt?: string): LoginError {
  const message = repeatedPrompt === undefined
    ? `${stripQuery(url)} showed a page of its own instead of sending the browser on: status ${status}`
    : `${stripQuery(url)} asks ${repeatedPrompt} again: status ${status}`;
  return new LoginError(
    rejection.explanation === undefined ? `${message}\n  ${text.slice(0, maxPageTextChars)}` : message,
    {
      ...rejection,
      status,
    },
  );
}

/** As much of a page as an error repeats, in characters. */
const maxPageTextChars = 600;
