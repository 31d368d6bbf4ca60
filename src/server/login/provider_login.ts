/**
 * The login pages of providers: they are shown where test suites expect them, without consent, and take the fields of
 * the provider. They exist only on test hosts.
 *
 * The URL of a form carries the authorization request, with a MAC, and a cookie binds it to the browser. A form needs
 * no token against CSRF: another site knows the URL of its own browser alone, and its page may not post here.
 */

import { completeAuthorization } from "../../core/authorize/authorize.ts";
import { ensureBrowserCookie } from "../../core/sessions/browser_cookie.ts";
import { readSession, setSessionCookie } from "../../core/sessions/cookies.ts";
import { rejectUntrustedHost } from "../../core/http/cross_site.ts";
import { withErrors } from "../../core/responses/error_response.ts";
import type { PendingAuthorization } from "../../core/authorize/authorization_request.ts";
import { allowsUser, usableSession } from "../../core/authorize/login.ts";
import { endForgottenSessions, type Session } from "../../core/sessions/session.ts";
import type { UserClaims } from "../../core/clients/claims.ts";
import type { User } from "../../core/clients/client.ts";
import type { Context } from "../../core/http/context.ts";
import { parseFields } from "../../core/http/form.ts";
import {
  emptyHeadResponse,
  type HttpRequest,
  type HttpResponse,
  isResponse,
  redirect,
} from "../../core/http/message.ts";
import { endpointPath } from "../../core/http/endpoint.ts";
import { type Params, paramsFromFields } from "../../core/http/params.ts";
import { constantTimeEqual } from "../../core/keys/secrets.ts";
import { renderPage } from "../../core/pages/render_page.ts";
import type { Handlers } from "../../core/route.ts";
import { replaceParts } from "../../platform/http/changed_request.ts";
import { htmlWithForms } from "../../platform/http/response.ts";
import { accountName, matchesLoginHint, shownName, userForClientHint, userForHint } from "../clients/login_hint.ts";
import { isPolled } from "../stored/delivery.ts";
import { typedClaims } from "../token/typed_claims.ts";
import type { HostedServer } from "../hosted_server.ts";
import { readSameOriginForm } from "../pages/csrf.ts";
import type { Site } from "../pages/layout.tsx";
import { addGuest, hasPassword, readGuest, recentUsers, rememberAccount } from "./account_picker.ts";
import type { Approval } from "../../core/authorize/approval.ts";
import { type AuthenticationOptions, logIn } from "./authenticate_user.ts";
import {
  consumePending,
  continuePending,
  denyPending,
  encodePending,
  type Interaction,
  loginCancellation,
  loginProof,
} from "./pending.ts";
import { providerPage } from "./provider_pages/mod.ts";
import type { LoginScreen, ProviderPage, Screen, ScreenProps } from "./provider_pages/provider_page.ts";
import { saveConsent } from "./stored_consent.ts";

/** The login page of a provider for a request; `undefined`: the pages of this server. */
export function providerPageFor(server: HostedServer, { destination }: PendingAuthorization): ProviderPage | undefined {
  return isPolled(destination) ? undefined : providerPage(server.policy.loginPage);
}

/** Begins a login: shows the first screen, or redirects to it. @param name See {@link encodePending}. */
export async function showFirstScreen(
  context: Context<HostedServer>,
  page: ProviderPage,
  pending: PendingAuthorization,
  name?: string,
): Promise<HttpResponse> {
  rejectUntrustedHost(context.server, context.request, "UI-20");
  const browser = await ensureBrowserCookie(context, "login");
  const id = await encodePending(context.server, pending, { name, browser: browser.secret });
  const interaction = { ...pending, id, name: id.slice(0, id.indexOf(".")), browser: browser.secret };
  const { loginHint = "", prompt } = pending.request.loginRequirements;
  const asksForChoice = prompt.includes("select_account");
  const recent = asksForChoice ? await recentUsers(context.server, browser.secret) : [];
  const [first, second = first] = page.screens;
  const show = first.hasChoice && recent.length > 0 ? showScreen : proceedTo;
  const isSkipped = first.isSkippedByHint && !asksForChoice && await userNamed(context.server, loginHint) !== undefined;
  return show(context, isSkipped ? second : first, {
    ...{ page, pending: interaction, username: loginHint, recent: recent.map(accountName), headers: browser.headers },
  });
}

/** The user with this name, or with its lower-case form. */
const userNamed = async (server: HostedServer, name: string): Promise<User | undefined> =>
  await userForHint(server, name) ?? await userForHint(server, name.toLowerCase());

/** The screen after the login, for a user with a session. */
export async function showApproval(
  context: Context<HostedServer>,
  page: ProviderPage,
  pending: Interaction,
  session: Session,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpResponse> {
  const query = { login: await loginProof(context, pending.id, session) };
  const username = approvedName(pending, session);
  return proceedTo(context, page.approval!, { page, pending, query, headers, username });
}

/** The name of the user on the screen after the login: as typed or hinted at, if it is theirs. */
function approvedName({ request: { loginRequirements: { loginHint = "" } } }: Interaction, { user }: Session): string {
  const isTheirs = [loginHint, loginHint.toLowerCase()].some((name) => matchesLoginHint(name, user));
  return isTheirs ? loginHint : shownName(user);
}

/** What a screen is shown for. */
interface Shown {
  readonly page: ProviderPage;
  readonly pending: Interaction;
  readonly username?: string;
  /** Default: none. */
  readonly recent?: readonly string[];
  /** Further parameters of its URL. */
  readonly query?: Readonly<Record<string, string>>;
  readonly error?: ScreenProps["error"];
  readonly isPasswordTyped?: boolean;
  readonly reason?: string;
  readonly status?: number;
  /** Headers of the response. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
}

function proceedTo(context: Context<HostedServer>, screen: Screen, shown: Shown): HttpResponse {
  return screen.isInPlace
    ? showScreen(context, screen, shown)
    : redirect("GET", screenUrl(context, screen, shown, "path"), shown.headers);
}

function showScreen(context: Context<HostedServer>, screen: Screen, shown: Shown): HttpResponse {
  const { pending: { client, request: { scope } }, username = "", recent = [], status = 200, headers = {} } = shown;
  const { error, isPasswordTyped, reason } = shown;
  return page(context, screen, status, headers, {
    action: screenUrl(context, screen, shown, "action"),
    screens: shown.page.screens.map((one) => screenUrl(context, one, { ...shown, query: {} }, "path")),
    client: client.name ?? client.id,
    ...{ scope, username, recent, error, isPasswordTyped, reason },
  });
}

function page(
  { server, site }: Context<HostedServer>,
  { Page }: Screen,
  status: number,
  headers: Readonly<Record<string, string>>,
  props: Omit<ScreenProps, "realm" | "accounts" | "acceptsAnyName" | keyof Site>,
): HttpResponse {
  const { pathname, host } = new URL(server.issuer);
  const users = [...server.users.known().values()];
  const body = renderPage(Page, {
    ...site,
    ...props,
    realm: pathname.split("/").findLast((segment) => segment !== "") ?? host,
    accounts: users.map((user) => ({ name: shownName(user), hasPassword: hasPassword(user) })),
    acceptsAnyName: server.policy.acceptsAny.includes("users"),
  });
  return htmlWithForms(status, body, headers);
}

/** The origin of the request, whose cookies the browser sends back. */
function originOf({ server: { names }, request }: Context): string {
  const { protocol, host } = new URL(names.frontChannel);
  const requested = URL.canParse(request.url) ? new URL(request.url).host : host;
  return `${protocol}//${request.headers.get("host") ?? requested}`;
}

/** The absolute URL of a screen, or of its form. */
function screenUrl(
  context: Context<HostedServer>,
  screen: Screen,
  { page, pending, query = {} }: Shown,
  use: "path" | "action",
): string {
  const path = (use === "action" ? screen.action : undefined)?.(context.site.base) ?? screen.path(context.site.base);
  const parameters = new URLSearchParams({
    [page.state]: pending.id,
    ...page.parameters?.(pending.name),
    client_id: pending.client.id,
    ...query,
  });
  return `${originOf(context)}${path}?${parameters}`;
}

/** The authorization with the name that was typed, encoded: it may be a password in the wrong field. */
async function withName(server: HostedServer, pending: Interaction, typed: string): Promise<Interaction> {
  const { name, browser, request } = pending;
  const loginRequirements = { ...request.loginRequirements, loginHint: typed.slice(0, maxNameChars) };
  const named = { ...pending, request: { ...request, loginRequirements } };
  return { ...named, id: await encodePending(server, named, { name, browser }) };
}

/** Maximum length of a name that a screen takes to the next one, in characters. */
const maxNameChars = 256;

export function screenHandlers(
  page: ProviderPage,
  screen: Screen,
  options: AuthenticationOptions,
): Handlers<HostedServer> {
  const { screens } = page;
  const i = screens.findIndex((one) => one === screen);
  return i < 0 ? approvalHandlers(page) : loginHandlers(page, screens[i]!, screens[i + 1], options);
}

type Continue = (
  context: Context<HostedServer>,
  pending: Interaction,
  query: Params,
) => HttpResponse | Response | Promise<HttpResponse | Response>;

/** Handlers of one screen, whose URL has the pending authorization. */
function handlersOf(page: ProviderPage, show: Continue, submit: (form: Params) => Continue): Handlers<HostedServer> {
  const continueBy = async (context: Context<HostedServer>, action: Continue, form?: Params) => {
    rejectUntrustedHost(context.server, context.request, "UI-20");
    const query = paramsFromFields(parseFields(context.target.query));
    // Some programs know the path of the form, and send back its hidden fields.
    return await continuePending(context, query.get(page.state) ?? form?.get(page.state), async (pending) => {
      // An authorization request that was posted by another site: the page of the server binds it to the browser.
      if (pending.browser === undefined) {
        return redirect("GET", `${endpointPath(context.app, "login")}?interaction=${pending.id}`);
      }
      return await action(context, pending, query);
    });
  };
  return {
    GET: (context) => continueBy(context, show),
    HEAD: () => emptyHeadResponse,
    async POST(context) {
      const form = await readSameOriginForm(context);
      const response = await continueBy(context, submit(form), form);
      // Programs that log in without a browser expect the status of the provider.
      return !isResponse(response) && response.status === 303 ? { ...response, status: 302 } : response;
    },
  };
}

function loginHandlers(
  page: ProviderPage,
  screen: LoginScreen,
  next: LoginScreen | undefined,
  options: AuthenticationOptions,
): Handlers<HostedServer> {
  const show: Continue = (context, pending) =>
    showScreen(context, screen, {
      ...{ page, pending },
      username: pending.request.loginRequirements.loginHint,
    });
  const cancel = loginCancellation();
  return handlersOf(page, show, (form) => async (context, pending) => {
    const { server } = context;
    const { scope, extensions, loginRequirements: { loginHint } } = pending.request;
    if (isDenied(screen, form)) return await cancel(context, pending, await readSession(context));
    const chosen = screen.hasChoice ? form.get("account") : undefined;
    // A form without the field takes the hint; a field that the user has emptied does not.
    const isTyped = screen.username !== undefined && form.has(screen.username);
    const typed = isTyped ? form.get(screen.username!) : loginHint;
    const username = chosen ?? typed ?? "";
    const password = screen.password === undefined ? undefined : form.get(screen.password);
    const shown = { page, pending, username, isPasswordTyped: password !== undefined };
    const again = (retry: Pick<Shown, "error" | "reason" | "status" | "headers">) =>
      showScreen(context, screen, { ...shown, status: screen.errorStatus, ...retry });
    let user = await userNamed(server, username);
    const previousSession = await readSession(context);
    const isMissing = screen.username !== undefined && username === "";
    const isUnknown = user === undefined && !server.policy.acceptsAny.includes("users");
    const isMalformed = !isMissing && !/^[^@\s]+@[^@\s.]+\.[^@\s]+$/.test(username);
    if (screen.rejectsMalformed && isUnknown && isMalformed) return again({ error: "malformed" });
    if (isMissing || password === undefined && screen.password !== undefined) return again({ error: "empty" });
    if (password === undefined) {
      if (screen.rejectsUnknown && isUnknown) return again({ error: "username" });
      // Who chooses the account that is logged in already needs no password.
      const session = chosen === undefined ? undefined : await usableSession(server, pending, previousSession);
      if (user !== undefined && session?.sub === user.sub && await allowsUser(server, pending, user.sub)) {
        const approval = { user, scope, extensions, authTime: session.authTime };
        return await completeLogin(context, page, pending, approval, session, previousSession);
      }
      return proceedTo(context, next!, { ...shown, pending: await withName(server, pending, username) });
    }
    if (options.openLogin) user ??= await userForClientHint(server, username, pending.client.id);
    const result = await logIn(context, pending, { sub: user?.sub ?? username, user, password }, options);
    if ("status" in result) {
      const { status, headers, error } = result;
      return again(
        result.isWrongPassword
          ? { error: user === undefined ? "username" : "password", headers }
          : { error: "password", reason: error, status, headers },
      );
    }
    const approval = { user: result.user, scope, extensions, authTime: server.now(), ...result.level };
    const session = await server.sessionFor(server, approval, undefined, previousSession);
    return await completeLogin(context, page, pending, approval, session, previousSession);
  });
}

/** Continues after authentication: to the screen after the login, or to the client. */
async function completeLogin(
  context: Context<HostedServer>,
  page: ProviderPage,
  pending: Interaction,
  approval: Approval,
  session: Session,
  previousSession: Session | undefined,
): Promise<HttpResponse | Response> {
  const { server } = context;
  await rememberAccount(server, pending.browser!, approval.user);
  // Whether to stay logged in is asked after a new login only; a consent is always asked for.
  if (page.approval?.isConsent || page.approval && session !== previousSession) {
    if (previousSession !== undefined) await endForgottenSessions(server, previousSession, session);
    return await showApproval(context, page, pending, session, await setSessionCookie(context, session));
  }
  await consumePending(server, pending);
  return await withErrors(
    context,
    pending,
    () => completeAuthorization(context, pending, approval, session, previousSession),
  );
}

/** Whether the user has pressed the button that denies. */
function isDenied({ deny: [name, value] = ["", ""] }: Screen, form: Params): boolean {
  return value !== "" && form.get(name) === value;
}

function approvalHandlers(page: ProviderPage): Handlers<HostedServer> {
  const screen = page.approval!;
  const withSession =
    (action: (session: Session, ...rest: Parameters<Continue>) => ReturnType<Continue>): Continue =>
    async (context, pending, query) => {
      const session = await readSession(context);
      const hasLoggedIn = session !== undefined &&
        constantTimeEqual(query.get("login") ?? "", await loginProof(context, pending.id, session));
      return hasLoggedIn
        ? await action(session, context, pending, query)
        : proceedTo(context, page.screens[0], { page, pending });
    };
  const show = withSession((session, context, pending, query) =>
    showScreen(context, screen, {
      ...{ page, pending, query: { login: query.get("login")! } },
      username: approvedName(pending, session),
    })
  );
  return handlersOf(page, show, (form) =>
    withSession(async (session, context, pending) => {
      const { server } = context;
      if (isDenied(screen, form)) return await denyPending(context, pending, "consent");
      await consumePending(server, pending);
      return await withErrors(context, pending, async () => {
        const { user, authTime } = session;
        const { scope, extensions } = pending.request;
        const granted = { scope, extensions };
        const consent = screen.isConsent ? await saveConsent(server, pending, user, granted) : undefined;
        const approval = { user, authTime, ...granted, consent };
        return await completeAuthorization(context, pending, approval, session, session);
      });
    }));
}

/** What was typed into a form that was posted to the authorization URL, by the request that continues with it. */
const postedForms = new WeakMap<HttpRequest, Params>();

/** The authorization endpoint, at whose URL, the query included, a stateless form is posted. */
export function withPostedForms(handlers: Handlers<HostedServer>): Handlers<HostedServer> {
  return {
    ...handlers,
    async POST(context) {
      const { server, request, target } = context;
      if (!target.query.includes("client_id=")) return await handlers.POST!(context);
      rejectUntrustedHost(server, request, "UI-20");
      const form = await readSameOriginForm(context);
      const authorization = replaceParts(request, { method: "GET", original: request });
      postedForms.set(authorization, form);
      return await handlers.GET!(
        Object.create(context, { request: { value: authorization }, site: { value: context.site } }),
      );
    },
  };
}

/** Shows a stateless form, or approves for the subject that was typed into it. */
export async function approveByForm(
  context: Context<HostedServer>,
  { screens: [screen] }: ProviderPage,
  { client, request: { scope, loginRequirements: { loginHint = "" } } }: PendingAuthorization,
): Promise<Approval | HttpResponse> {
  const { server, request, target } = context;
  rejectUntrustedHost(server, request, "UI-20");
  const form = postedForms.get(request);
  // Not the hint: a form without a name may be the authorization response of another login, which no user has sent.
  const typed = form?.get("username");
  const login = typed && await typedLogin(server, typed, form!.get("claims") ?? "");
  if (typeof login === "object") {
    return typedClaims.put({ user: login.user, scope, authTime: server.now() }, login.claims);
  }
  return page(context, screen, 200, {}, {
    action: `${originOf(context)}${target.path}?${target.query}`,
    client: client.name ?? client.id,
    ...{ scope, username: typed ?? loginHint, recent: [], screens: [] },
    ...login !== undefined && { error: "username", reason: login },
  });
}

/** The user with a subject, created if there is none, and the claims of this login; or why there is none. */
async function typedLogin(
  server: HostedServer,
  subject: string,
  typed: string,
): Promise<{ readonly user: User; readonly claims: UserClaims } | string> {
  const guest = await readGuest({ subject, name: "", claims: typed });
  if (typeof guest === "string") return guest;
  const { sub, ...claims } = guest;
  const user = await server.users.find(sub) ?? await addGuest(server, { sub });
  return typeof user === "string" ? user : { user, claims };
}
