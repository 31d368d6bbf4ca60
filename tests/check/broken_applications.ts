/** Copies of the small web application with one small change each, and the attacks that must find the change. */

import { decodePart } from "./decode_part.ts";

/** What a web application decides about browsers and pages, as functions. A broken copy replaces one of them. */
export interface PageDecisions {
  /** The id of a session; `login`: the id of its login, which the browser had before. */
  sessionId(login: string): string;
  /** The attributes of the session cookie. */
  readonly cookieAttributes: string;
  /** A text as HTML. */
  show(text: string, what: "error" | "error_description" | "state" | "token error" | "name"): string;
  /** The user of a browser without a session. */
  userOf(request: Request): string | undefined;
  /** Further header fields of a page of the user. */
  headers(request: Request): Readonly<Record<string, string>>;
  /** The origin of the redirect URI; `own`: that of the application. */
  redirectOrigin(login: Request, own: string): string;
  /** Further claims of a user, as HTML. */
  claims(claims: { readonly website?: string }): string;
  /** A link to `error_uri`, as HTML. */
  link(uri: string): string;
  /** Where the browser goes after a login. */
  landing(tokens: PageTokens, callback: Request): string;
  /** The page that the browser asked for at the start of the login. */
  target(login: Request): string | null;
  /** The text in `state`, with the random one. */
  state(random: string, verifier: string): string;
  /** Whether a `state` is that of the login. */
  isState(received: string | null, expected: string): boolean;
  /** What a page of a user has besides. */
  page(tokens: PageTokens): string;
  /** What the data of a user have besides. */
  data(tokens: PageTokens): object;
  /** Further cookies of a login. */
  cookies(tokens: PageTokens): readonly string[];
  /** Whether the login ends at the redirect URI, without a redirect. */
  readonly endsAtCallback: boolean;
  /** Where the browser goes after a failed login. */
  failedTarget(callback: Request): string | null;
  /** Where the browser goes from a page that needs a login. Default: it stays there. */
  readonly loginPage?: string;
  /** The methods of the requests that log out. */
  readonly logoutMethods: readonly ("GET" | "POST")[];
  /** Whether a logout ends the session, not only its cookie. */
  readonly endsSession: boolean;
  /** Whether the browser may go to `return_to` after a login. */
  isOwnTarget(target: string, origin: string): boolean;
}

/** The tokens of a session. */
export interface PageTokens {
  readonly access_token: string;
  readonly id_token?: string;
  readonly refresh_token?: string;
}

/** The secret of every broken application. */
export const clientSecret = "secret-of-the-shop";

/** Escapes a text for HTML. */
export const escapeHtml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** The decisions of a correct application. */
export const correctPages: PageDecisions = {
  sessionId: () => crypto.randomUUID(),
  cookieAttributes: "Path=/; HttpOnly; Secure; SameSite=Lax",
  show: escapeHtml,
  userOf: () => undefined,
  headers: () => ({}),
  redirectOrigin: (_, own) => own,
  claims: () => "",
  link: (uri) => /^https:/.test(uri) ? `<a href="${escapeHtml(uri)}">More</a>` : "",
  landing: () => "/",
  target: ({ url }) => new URL(url).searchParams.get("return_to"),
  state: (random) => random,
  isState: (received, expected) => received === expected,
  page: () => "",
  data: () => ({}),
  cookies: () => [],
  endsAtCallback: false,
  failedTarget: () => null,
  logoutMethods: ["POST"],
  endsSession: true,
  isOwnTarget: (target, origin) => URL.canParse(target, origin) && new URL(target, origin).origin === origin,
};

/** A broken application. */
export interface BrokenApplication {
  /** What it does wrong. */
  readonly name: string;
  /** The change. */
  readonly change: Partial<PageDecisions>;
  /** The attacks that fail or warn. */
  readonly foundBy: readonly string[];
}

const parameterOf = ({ url }: Request, name: string) => new URL(url).searchParams.get(name);

const cookieOf = ({ headers }: Request, name: string) =>
  new RegExp(`(?:^|; )${name}=([^;]+)`).exec(headers.get("cookie") ?? "")?.[1] ?? "";

const subOf = (token: string) => String(decodePart(token, 1).sub);

const allowOrigin = ({ headers }: Request, isAllowed: (origin: string) => boolean): Record<string, string> => {
  const origin = headers.get("origin");
  if (origin === null || !isAllowed(origin)) return {};
  return { "access-control-allow-origin": origin, "access-control-allow-credentials": "true" };
};

const unescaped = (...places: readonly string[]): Partial<PageDecisions> => ({
  show: (text, what) => places.includes(what) ? text : escapeHtml(text),
});

/** Numbers as texts, each greater than the one before. */
export function counter(): () => string {
  let count = 1000;
  return () => `${++count}`;
}

/** Every broken application. */
export const brokenApplications: readonly BrokenApplication[] = [
  {
    name: "keeps the id of the session of before the login",
    change: { sessionId: (login) => login },
    foundBy: ["session/fixed"],
  },
  {
    name: "sets the session cookie without HttpOnly",
    change: { cookieAttributes: "Path=/; Secure; SameSite=Lax" },
    foundBy: ["session/cookie-flags"],
  },
  {
    name: "sets the session cookie without Secure",
    change: { cookieAttributes: "Path=/; HttpOnly; SameSite=Lax" },
    foundBy: ["session/cookie-flags"],
  },
  {
    name: "sets the session cookie with SameSite=None",
    change: { cookieAttributes: "Path=/; HttpOnly; Secure; SameSite=None" },
    foundBy: ["session/cookie-flags"],
  },
  ...(["error", "error_description", "state", "token error", "name"] as const).map((place) => ({
    name: `shows ${place} as markup`,
    change: unescaped(place),
    foundBy: ["session/markup"],
  })),
  {
    name: "escapes no quotes in error_description",
    change: { show: (text) => `<input value="${text.replaceAll("<", "&lt;")}">` },
    foundBy: ["session/markup"],
  },
  {
    name: "links to any error_uri",
    change: { link: (uri) => `<a href="${escapeHtml(uri)}">More</a>` },
    foundBy: ["session/markup"],
  },
  {
    name: "puts the access token into the URL where the login ends",
    change: { landing: ({ access_token }) => `/?token=${access_token}` },
    foundBy: ["session/token-in-url"],
  },
  {
    name: "puts the ID token into a path, in base64",
    change: { landing: ({ id_token }) => `/users/${btoa(JSON.stringify({ id_token }))}` },
    foundBy: ["session/token-in-url"],
  },
  {
    name: "writes the access token into a page, in JSON escapes",
    change: {
      page: ({ access_token }) =>
        `<script>token = "${
          [...access_token].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")
        }"</script>`,
    },
    foundBy: ["session/token-in-page"],
  },
  {
    name: "keeps its tokens in a cookie that scripts read, in base64 and percent-encoded",
    change: {
      cookies: ({ access_token, id_token }) => [
        `user=${encodeURIComponent(btoa(JSON.stringify({ id_token, access_token })))}; Path=/; Secure; SameSite=Lax`,
      ],
    },
    foundBy: ["session/token-in-cookie"],
  },
  {
    name: "gives the refresh token to the scripts of its pages",
    change: { data: ({ refresh_token }) => ({ refresh_token }) },
    foundBy: ["session/refresh-token-exposed"],
  },
  {
    name: "writes its configuration into a page",
    change: { page: () => `<script>config = ${JSON.stringify({ clientSecret })}</script>` },
    foundBy: ["session/secret-exposed"],
  },
  {
    name: "sends the code verifier in state, in base64",
    change: { state: (random, verifier) => btoa(JSON.stringify({ random, verifier })).replace(/=+$/, "") },
    foundBy: ["session/verifier-exposed"],
  },
  {
    name: "links to any website of a user",
    change: { claims: ({ website = "" }) => `<a href="${escapeHtml(website)}">Website</a>` },
    foundBy: ["session/markup"],
  },
  {
    name: "believes the header of a proxy",
    change: { userOf: ({ headers }) => headers.get("x-forwarded-user") ?? undefined },
    foundBy: ["session/user-header"],
  },
  {
    name: "keeps the user in a cookie without a signature",
    change: {
      cookies: ({ id_token }) => [`user=${btoa(JSON.stringify({ sub: subOf(id_token!) }))}; Path=/; HttpOnly; Secure`],
      userOf: (request) => JSON.parse(atob(cookieOf(request, "user") || btoa("{}"))).sub,
    },
    foundBy: ["session/cookie-forged"],
  },
  {
    name: "keeps the ID token in a cookie, and does not verify it again",
    change: {
      cookies: ({ id_token }) => [`user=${id_token}; Path=/; HttpOnly; Secure; SameSite=Lax`],
      userOf: (request) => cookieOf(request, "user") === "" ? undefined : subOf(cookieOf(request, "user")),
    },
    foundBy: ["session/cookie-forged"],
  },
  {
    name: "lets sites read its pages whose origin begins with its own",
    change: { headers: (request) => allowOrigin(request, (origin) => origin.startsWith(new URL(request.url).origin)) },
    foundBy: ["session/read-by-other-site"],
  },
  {
    name: "lets caches keep the page of a user",
    change: { headers: () => ({ "cache-control": "public, max-age=60" }) },
    foundBy: ["session/user-in-shared-cache"],
  },
  {
    name: "sends a redirect URI of the forwarded host",
    change: {
      redirectOrigin({ headers }, own) {
        const host = headers.get("x-forwarded-host");
        return host === null ? own : `https://${host}`;
      },
    },
    foundBy: ["session/forwarded-host"],
  },
  { name: "deletes only the cookie at logout", change: { endsSession: false }, foundBy: ["logout/cookie-kept"] },
  { name: "shows a link that logs out", change: { logoutMethods: ["GET"] }, foundBy: ["logout/by-get"] },
  { name: "follows every return_to", change: { isOwnTarget: () => true }, foundBy: ["session/return-target"] },
  {
    name: "follows a return_to that begins with a slash, but not with two",
    change: { isOwnTarget: (target) => /^\/(?!\/)/.test(target) },
    foundBy: ["session/return-target"],
  },
  {
    name: "follows a parameter that only its own pages use",
    change: {
      loginPage: "/login?destination=%2Fme",
      target: (login) => parameterOf(login, "destination"),
      isOwnTarget: () => true,
    },
    foundBy: ["session/return-target"],
  },
  {
    name: "follows a parameter of the authorization response",
    change: { landing: (_, callback) => parameterOf(callback, "next") ?? "/" },
    foundBy: ["session/return-target"],
  },
  {
    name: "follows a parameter of an authorization response with an error",
    change: { failedTarget: (callback) => parameterOf(callback, "error") && parameterOf(callback, "return_to") },
    foundBy: ["session/return-target"],
  },
  {
    name: "decodes return_to twice",
    change: {
      target(login) {
        const target = parameterOf(login, "return_to");
        return target !== null && /^\/(?![/\\])/.test(target) ? decodeURIComponent(target) : null;
      },
      isOwnTarget: () => true,
    },
    foundBy: ["session/return-target"],
  },
  {
    name: "accepts control characters in return_to",
    change: { isOwnTarget: (target) => /^\/(?![/\\])/.test(target) },
    foundBy: ["session/return-target"],
  },
  {
    name: "returns to Referer",
    change: {
      target: (login) => parameterOf(login, "return_to") ?? (login.headers.get("referer") || null),
      isOwnTarget: (target) => !/^\w+:/.test(target) ? target.startsWith("/") : true,
    },
    foundBy: ["session/return-target"],
  },
  {
    name: "compares the end of the host of return_to",
    change: {
      isOwnTarget: (target, origin) =>
        URL.canParse(target, origin) && new URL(target, origin).host.endsWith(new URL(origin).host),
    },
    foundBy: ["session/return-target"],
  },
  {
    name: "returns to the address in state, and compares the random part",
    change: {
      state: (random) => `${random}~/`,
      isState: (received, expected) => received?.split("~")[0] === expected.split("~")[0],
      landing: (_, callback) => parameterOf(callback, "state")!.split("~")[1]!,
    },
    foundBy: ["response/state-wrong"],
  },
  {
    name: "builds the landing URL of the forwarded host",
    change: {
      landing: (_, { headers, url }) => `https://${headers.get("x-forwarded-host") ?? new URL(url).host}/`,
    },
    foundBy: ["session/forwarded-host"],
  },
  {
    name: "writes the name of a user into a script",
    change: {
      show: (text, what) =>
        what === "name" ? `<script>const name = "${text.replaceAll('"', '\\"')}"</script>` : escapeHtml(text),
    },
    foundBy: ["session/markup"],
  },
  {
    name: "ends the login at the URL with the code",
    change: { endsAtCallback: true },
    foundBy: ["session/code-in-url"],
  },
];
