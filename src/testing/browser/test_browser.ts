/** The test browser: it keeps cookies, submits the forms of the server, and stops at the redirect URI of the client. */

import type { Callback } from "./callback.ts";
import { type CookieJar, cookieJar } from "./cookie_jar.ts";
import { type StorageState, toStorageState } from "./storage_state.ts";
import { withContentLength } from "../fetch.ts";
import { extractText, findAttributes, type HtmlForm, parseForms, submitForm } from "../../client/html_form.ts";
import { type ExplainRejection, LoginError, type RejectionDetails } from "../login_error.ts";
import { formatPersona, mergePersonas, type Persona, personaField, personaHeader } from "../persona.ts";
import { assertOptions } from "../options.ts";
import { readCallback } from "../../client/callback.ts";
import { encodeParameters, type RequestParameters } from "../../client/parameters.ts";
import { findPagePrompt } from "../page_prompt.ts";

interface TestBrowserOptions extends Persona {
  /** The issuer at this moment: URLs below it belong to the server. */
  readonly issuer: () => string;
  /** Further origins of the server; all other URLs belong to the client. Default: none. */
  readonly origins?: () => readonly string[];
  readonly endpointUrl: (name: string) => string;
  /** Sends one request to the server and follows no redirect, such as `latchkey().fetch`. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Loads a frame of a page. Default: frames are not loaded. */
  readonly loadFrame?: (url: string) => unknown;
  /** The clock of cookie expiry, in milliseconds since the epoch. Default: cookies do not expire. */
  readonly now?: () => number;
  /** Explains rejections in errors. Default: errors quote the page. */
  readonly explain?: ExplainRejection;
}

/** @internal Options of a logout. */
export interface LogoutOptions {
  /** An ID token of the session; with it the server does not ask for confirmation. */
  readonly idToken?: string;
  /** The client that requests the logout. */
  readonly clientId?: string;
  /** The URI that the browser is redirected to, registered for the client. */
  readonly postLogoutRedirectUri?: string;
  /** The state of the redirect. */
  readonly state?: string;
}

/** A browser with its own cookies. */
export interface TestBrowser {
  /** The cookies. */
  readonly cookies: CookieJar;
  /**
   * Returns the cookies for a browser of Playwright, which then has the session of this one:
   * `browser.newContext({ storageState: visitor.storageState() })`. The server must listen first, because the
   * names of cookies contain the port.
   */
  storageState(): StorageState;
  /**
   * Opens a URL of the server and follows redirects below the issuer. Submits no forms.
   *
   * @param url Absolute, or a path below the issuer.
   * @returns The last response; a redirect if it leads elsewhere.
   */
  open(url: string | URL, init?: RequestInit): Promise<Response>;
  /**
   * Sends an authorization request, logs in, consents, and returns what the redirect URI received, including errors.
   *
   * @param request A URL, or the parameters of a request to this server.
   * @param persona Replaces members of the browser's persona for this request.
   * @param redirectUri Where the browser stops, if it is below the issuer and the request does not name it, such as a
   *   pushed one. Default: `redirect_uri` of the request.
   * @throws {LoginError} If the server shows an error page, such as for a wrong `redirect_uri`.
   */
  authorize(request: string | URL | RequestParameters, persona?: Persona, redirectUri?: string): Promise<Callback>;
  /**
   * Opens the page of a request that a client polls for, such as `verification_uri_complete` of a device (RFC 8628),
   * logs in and decides. Also for the URL at which a tool of `as.resource()` asks to connect an account, in a browser
   * that is logged in.
   *
   * @throws {LoginError} If the server rejects the request.
   */
  decide(request: string | URL, persona?: Persona): Promise<"approved" | "denied">;
  /**
   * Logs out at the end session endpoint, confirms if the server asks, and loads the frames of front-channel logout.
   *
   * @param request The URL of a logout request, or what it consists of.
   * @returns The logout response that the client received; `undefined` if the browser was not redirected to it.
   * @throws {LoginError} If the server rejects the request.
   */
  logOut(request?: string | URL | LogoutOptions): Promise<Callback | undefined>;
}

/** Opens a browser without cookies. */
export function testBrowser(options: TestBrowserOptions): TestBrowser {
  const { now = () => 0 } = options;
  const cookies = cookieJar(now);
  const issuer = () => options.issuer().replace(/\/$/, "");

  const resolveUrl = (url: string | URL) => {
    const text = String(url);
    return text.startsWith("/") ? issuer() + text : text;
  };

  /** The places of the server: the issuer, and other origins. */
  const places = () => {
    const { origin } = new URL(issuer());
    return [issuer(), ...(options.origins?.() ?? []).filter((other) => other !== origin)];
  };

  /**
   * Whether a URL belongs to the client: the redirect URI of the request, or any URL outside of the server. The logout
   * endpoint, whose page posts to itself, may be beside the issuer, and so may the login pages of a provider.
   */
  const isClientUrl = (url: string, redirectUri?: string) => {
    const location = stripQuery(url);
    if (redirectUri !== undefined && location === stripQuery(redirectUri)) return true;
    const isOfServer = URL.canParse(url) && places().some((place) => new URL(place).origin === new URL(url).origin);
    if (redirectUri !== undefined && isOfServer) return false;
    return location !== options.endpointUrl("logout") &&
      !places().some((place) => `${location}/`.startsWith(`${place}/`));
  };

  async function send({ url, form }: NavigationStep, persona: Persona, init: RequestInit = {}): Promise<Visit> {
    if (!places().some((place) => new URL(place).origin === new URL(url).origin)) {
      throw new TypeError(`url: expected a URL of ${places().join(" or ")}, received ${url}`);
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
   * Follows redirects, and submits a form on each page, until the client is reached. `undefined` if a page has nothing
   * to submit.
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
    throw new LoginError(`The server redirects more than ${maxNavigationSteps} times, last to ${step.url}`);
  }

  /** Submits the prompt of each page, and none twice. */
  function submitPrompts(persona: Persona, isClientForm: (action: string) => boolean) {
    const submittedPrompts = new Set<string>();
    return (page: Page): NavigationStep => {
      const prompt = page.status < 400 ? findPagePrompt(page.forms, isClientForm) : undefined;
      if (prompt === undefined || submittedPrompts.has(prompt.name)) throw unexpectedPageError(page, prompt?.name);
      submittedPrompts.add(prompt.name);
      return prompt.submit(persona);
    };
  }

  return {
    cookies,

    storageState: () => toStorageState(cookies.all()),

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

    async authorize(request, overrides = {}, clientUri) {
      assertOptions("browser.authorize", personaField, overrides);
      const persona = mergePersonas(options, overrides);
      const url = typeof request === "string" || request instanceof URL
        ? resolveUrl(request)
        : `${options.endpointUrl("authorize")}?${encodeParameters(request)}`;
      const redirectUri = clientUri ?? new URL(url).searchParams.get("redirect_uri") ?? undefined;
      const submit = submitPrompts(persona, (action) => isClientUrl(action, redirectUri));
      const callback = await navigate(url, redirectUri, persona, submit);
      return callback!;
    },

    async decide(request, overrides = {}) {
      assertOptions("browser.decide", personaField, overrides);
      const persona = mergePersonas(options, overrides);
      const submit = submitPrompts(persona, () => false);
      let result: "approved" | "denied" | undefined;
      await navigate(resolveUrl(request), undefined, persona, (page) => {
        const { searchParams } = new URL(page.url);
        if (searchParams.has("error")) result = "denied";
        else if (searchParams.has("result")) result = "approved";
        else return submit(page);
      });
      return result!;
    },

    async logOut(request = {}) {
      const url = options.endpointUrl("logout");
      const requestUrl = typeof request === "string" || request instanceof URL
        ? resolveUrl(request)
        : `${url}?${encodeLogoutOptions(request)}`;
      const redirectUri = new URL(requestUrl).searchParams.get("post_logout_redirect_uri") ?? undefined;
      return await navigate(requestUrl, redirectUri, options, (page) => {
        if (page.status >= 400) throw unexpectedPageError(page);
        const form = page.forms.find(({ action }) => action === url);
        if (form !== undefined) return submitForm(form, form.buttons[0]);
        for (const frame of findAttributes(page.html, "iframe", "src")) options.loadFrame?.(frame);
        const [continueUrl] = findAttributes(page.html, "a", "href", "data-continue-after");
        return continueUrl === undefined ? undefined : { url: continueUrl };
      });
    },
  };
}

/** Requests of one login. */
const maxNavigationSteps = 20;

/** A request of a browser: `POST` with a form. */
interface NavigationStep {
  readonly url: string;
  readonly form?: URLSearchParams;
}

interface Visit {
  readonly url: string;
  readonly response: Response;
  /** Why the request was rejected. */
  readonly rejection: RejectionDetails;
  /** The target of a redirect. */
  readonly next?: NavigationStep;
}

interface Page {
  readonly url: string;
  readonly status: number;
  readonly html: string;
  readonly text: string;
  readonly forms: readonly HtmlForm[];
  readonly rejection: RejectionDetails;
}

function encodeLogoutOptions({ idToken, clientId, postLogoutRedirectUri, state }: LogoutOptions): string {
  return encodeParameters({
    id_token_hint: idToken,
    client_id: clientId,
    post_logout_redirect_uri: postLogoutRedirectUri,
    state,
  });
}

/** A URL without query and fragment. */
export function stripQuery(url: string): string {
  return url.split(/[?#]/, 1)[0]!;
}

function findRedirect(
  url: string,
  form: URLSearchParams | undefined,
  { status, headers }: Response,
): NavigationStep | undefined {
  const location = status >= 300 && status < 400 ? headers.get("location") : null;
  if (location === null) return undefined;
  // Not parsed: `URL` would normalize it.
  const isAbsolute = /^[a-z][a-z0-9+.-]*:/i.test(location);
  if (!isAbsolute && !URL.canParse(location, url)) {
    throw new LoginError(`${stripQuery(url)} redirects to a malformed URL: ${location.slice(0, 200)}`, { status });
  }
  return {
    url: isAbsolute ? location : new URL(location, url).href,
    form: status === 307 || status === 308 ? form : undefined,
  };
}

function toCallback({ url, form }: NavigationStep, rejection: RejectionDetails): Callback {
  const response = readCallback(url, form);
  return {
    url,
    method: form === undefined ? "GET" : "POST",
    ...response,
    ...response.error !== undefined ? rejection : undefined,
  };
}

async function readPage({ url, response, rejection }: Visit): Promise<Page> {
  const html = await response.text();
  return { url, status: response.status, html, text: extractText(html), forms: parseForms(html, url), rejection };
}

/** The error for a page that cannot be submitted, or that asks the same again. */
function unexpectedPageError({ url, status, text, rejection }: Page, repeatedPrompt?: string): LoginError {
  const message = repeatedPrompt === undefined
    ? `${stripQuery(url)} showed a page instead of redirecting to the client: status ${status}`
    : `${stripQuery(url)} asks ${repeatedPrompt} again: status ${status}`;
  return new LoginError(
    rejection.explanation === undefined ? `${message}\n  ${text.slice(0, maxPageTextChars)}` : message,
    { ...rejection, status },
  );
}

/** Characters of a page that an error quotes. */
const maxPageTextChars = 600;
