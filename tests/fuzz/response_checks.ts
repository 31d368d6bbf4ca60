/** Checks that every response must pass, for any request, so that the fuzzer needs no expected response. */

import { findTokenMembers } from "../secrets.ts";
import { marker } from "./hostile_text.ts";
import type { ReceivedResponse } from "./attack.ts";
import { getPath, type RequestDraft } from "./request_draft.ts";
import { findResourceProblems, resourcePath } from "./resource_moves.ts";
import type { AttackedServer } from "./servers.ts";

/**
 * Where pages may lead to beside this server: the texts of the specifications, and what the libraries say of
 * themselves.
 */
const allowedLinks =
  /^https:\/\/(?:www\.rfc-editor\.org|datatracker\.ietf\.org|openid\.net|www\.w3\.org|fetch\.spec\.whatwg\.org)\//;

/** Endpoints with JSON responses, errors included. */
const forClients = [
  ...["/oauth2/token", "/oauth2/revoke", "/oauth2/introspect", "/oauth2/par", "/oauth2/userinfo"],
  ...["/oauth2/device_authorization", "/oauth2/backchannel_authentication"],
];

/** Those that scripts of other origins must not use. */
const notShared = ["/oauth2/introspect", "/oauth2/device_authorization", "/oauth2/backchannel_authentication"];

/** Yields every problem of a response; `uris` are all registered redirect URIs. */
export function* findProblems(
  { as, kind }: AttackedServer,
  uris: ReadonlySet<string>,
  sent: RequestDraft,
  { status, headers, text }: ReceivedResponse,
): Generator<string> {
  const base = new URL(as.issuer).pathname.replace(/\/$/, "");
  const own = new URL(as.issuer).origin;
  const type = headers.get("content-type") ?? "";
  const endpoint = forClients.find((path) => getPath(sent) === base + path);

  if (status >= 500) yield `[HT-18] the status is ${status}`;
  const isCreation = sent.method === "POST" &&
    [`${base}/oauth2/register`, `${base}/oauth2/par`].includes(getPath(sent));
  const isResource = getPath(sent) === resourcePath;
  const isUnusual = [201, 202, 203, 205, 206].includes(status);
  if (status < 200 || isUnusual && !(status === 201 && isCreation || status === 202 && isResource)) {
    yield `the status is ${status}`;
  }
  if (sent.method === "HEAD" && text !== "") yield "[HT-02] the response to HEAD has a body";

  const location = headers.get("location");
  if (location !== null) {
    if (![302, 303].includes(status)) yield `[AZ-20] ${status} has a Location`;
    if (!/^[\x21-\x7E]+$/.test(location)) yield `Location is not a line of ASCII: ${JSON.stringify(location)}`;
    if (!isOwn(location, own, base) && !isRegistered(location, uris)) yield `[RU-01] Location is ${location}`;
    for (const name of findTokenMembers(headers, "")) yield `[NV-01] Location holds ${name}: ${location}`;
  } else if (status >= 300 && status < 400 && status !== 304) yield `${status} has no Location`;
  if (headers.has("refresh")) yield "the response has a Refresh header";

  for (const line of headers.getSetCookie()) {
    if (
      !/^(?:__Host-|__Secure-)?latchkey_\w+=[\w.~-]*; Path=[^;]*\/; HttpOnly; SameSite=Lax(?:; Secure)?(?:; Max-Age=0)?$/
        .test(line)
    ) {
      yield `[UI-07] the cookie is ${line}`;
    }
    if (own.startsWith("https:") !== line.includes("; Secure")) yield `[UI-07] the cookie is ${line}`;
  }

  for (const [name, value] of headers) {
    if (/[\r\n\0]/.test(value)) yield `the header ${name} holds a line end`;
    if (value.includes(marker) && name !== "location") yield `what was sent comes back in the header ${name}: ${value}`;
    if (name === "access-control-allow-credentials") yield "[HT-04] Access-Control-Allow-Credentials is there";
  }

  if (text !== "" && headers.get("x-content-type-options") !== "nosniff") {
    yield `[HT-12] no nosniff on ${status} ${type}`;
  }
  if (type.startsWith("text/html")) {
    yield* findPageProblems(headers, text, { own, base, uris, path: getPath(sent).slice(base.length) });
  } else if (type.includes("html") || type.includes("xml")) yield `the type is ${type}`;
  else if (text !== "" && type === "") yield "a body has no type";

  if (type === "application/json" && text !== "") yield* findJsonProblems(status, headers, text);
  // No token lets a page of another site in. The response to HEAD does not say why it is rejected.
  const isForeignPage = status === 403 && !headers.has("www-authenticate") &&
    (text.includes("[HT-22]") || sent.method === "HEAD");
  if (endpoint !== undefined && !isForeignPage) {
    yield* findClientEndpointProblems(endpoint, status, headers, type, sent);
  }
  if (getPath(sent).startsWith(`${base}/oauth2/register`)) yield* findRegistrationProblems(status, headers);
  else if (isResource && !isForeignPage) {
    yield* findResourceProblems(status, headers, `${own}/.well-known/oauth-protected-resource${resourcePath}`);
  } else if (endpoint === undefined && headers.has("www-authenticate")) yield "[SC-03] WWW-Authenticate is there";
  if (kind.options.issuer.startsWith("https:") && !headers.has("strict-transport-security")) yield "no HSTS";
}

function isOwn(location: string, own: string, base: string): boolean {
  return (location.startsWith(`${base}/`) && !/^\/[/\\]/.test(location)) ||
    location === own + base || location.startsWith(`${own}${base}/`);
}

const loopbackPort = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)):\d{1,5}(?=[/?]|$)/;

function isRegistered(location: string, uris: ReadonlySet<string>): boolean {
  for (const variant of [location, location.replace(loopbackPort, "$1")]) {
    for (const written of uris) {
      for (const uri of [written, written.replace(loopbackPort, "$1")]) {
        if (variant === uri) return true;
        const joint = !uri.includes("?") ? "?" : /[?&]$/.test(uri) ? "" : "&";
        if (variant.startsWith(uri + joint) || variant.startsWith(`${uri}#`)) return true;
      }
    }
  }
  return false;
}

/** Pages with forms to this server, for which browsers send an Origin. */
const formPagePattern =
  /^\/(?:|oauth2\/(?:login|consent|logout)|account|device|backchannel|authorized\/try|(?:clients|users|flows)(?:\/.*)?)$/;

interface PageLocation {
  readonly own: string;
  readonly base: string;
  readonly path: string;
  readonly uris: ReadonlySet<string>;
}

function* findPageProblems(
  headers: Headers,
  html: string,
  { own, base, path, uris }: PageLocation,
): Generator<string> {
  const policy = headers.get("content-security-policy") ?? "";
  if (!/^default-src 'none';/.test(policy) || !policy.includes("frame-ancestors 'none'") || policy.includes("unsafe")) {
    yield `[UI-01] the policy is ${policy}`;
  }
  const referrer = headers.get("referrer-policy");
  if (referrer !== "no-referrer" && !(referrer === "same-origin" && formPagePattern.test(path))) {
    yield `[UI-02] referrer-policy is ${referrer}`;
  }
  const fixed = { "cache-control": "no-store", "x-frame-options": "DENY" };
  for (const [name, value] of Object.entries(fixed)) {
    if (headers.get(name) !== value) yield `[UI-02] ${name} is ${headers.get(name)}`;
  }
  if (headers.get("content-type") !== "text/html; charset=utf-8") yield `[UI-13] ${headers.get("content-type")}`;
  for (const raw of [`<${marker}`, `"${marker}`]) {
    const at = html.indexOf(raw);
    if (at >= 0) yield `[UI-03] the page holds what was sent as it was: ${html.slice(Math.max(0, at - 60), at + 60)}`;
  }
  for (const [tag] of html.matchAll(/<[a-z][^\s/>]*(?:"[^"]*"|'[^']*'|[^>"'])*>/gi)) {
    if (path.endsWith("/oauth2/logout") && isLogoutFrame(tag, policy)) continue;
    if (/\shttp-equiv|^<(?:base|iframe|object|embed|frame|math)\b/i.test(tag)) yield `[UI-02] the page holds ${tag}`;
    const bare = tag.replace(/"[^"]*"/g, '""');
    if (/\s(?:on\w+|style)\s*=/i.test(bare)) yield `[UI-02] the page holds ${tag}`;
    if (/^<script(?![^>]* src=)/i.test(tag)) yield `[UI-02] the page holds ${tag}`;
    for (const [, name, target] of tag.matchAll(/\s(href|src|srcset|action|formaction|poster|ping|data)="([^"]*)"/gi)) {
      const plain = target!.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&lt;", "<");
      const inside = /^#|^$|^\/\.well-known\//.test(plain) || isOwn(plain, own, base);
      if (inside || allowedLinks.test(plain) || (name === "action" && isRegistered(plain, uris))) continue;
      if (name === "href" && isRegistered(plain, uris)) continue;
      yield `[UI-02] ${tag} leads off`;
    }
  }
}

/** Whether a tag is the frame of a client on the logout page, whose origin the policy allows. */
function isLogoutFrame(tag: string, policy: string): boolean {
  const [, src] = /^<iframe src="([^"]+)&amp;iss=[^"&]+&amp;sid=[\w-]+" /.exec(tag) ?? [];
  const [, origins = ""] = policy.split("; frame-src ");
  return src !== undefined && URL.canParse(src) && origins.split(" ").includes(new URL(src).origin);
}

const errorSyntax = /^[\x20\x21\x23-\x5B\x5D-\x7E]+$/;

function* findJsonProblems(status: number, headers: Headers, text: string): Generator<string> {
  let read: Record<string, unknown>;
  try {
    read = JSON.parse(text);
  } catch {
    return yield `[HT-12] invalid JSON: ${text.slice(0, 200)}`;
  }
  if (status < 400) return;
  if (read.jsonrpc === "2.0") return;
  // The challenge of a resource to a request without a token names no error (RFC 6750 §3.1).
  if (status === 401 && text === "{}" && headers.get("www-authenticate")?.includes("resource_metadata=")) return;
  const { error, error_description: description = "x", error_uri: uri = "/flows/of/1", ...more } = read;
  // The page of the exchange, on test hosts.
  if (!/^(?:https?:\/\/[^/]+)?(?:\/[\w-]+)*\/flows\/of\/\d+$/.test(String(uri))) {
    yield `error_uri is ${JSON.stringify(uri)}`;
  }
  if (typeof error !== "string" || !errorSyntax.test(error)) yield `[SC-04] error is ${JSON.stringify(error)}`;
  if (typeof description !== "string" || !errorSyntax.test(description)) {
    yield `[SC-04] error_description is ${JSON.stringify(description)}`;
  }
  if (Object.keys(more).length > 0) yield `a rejection says more: ${text}`;
  if (headers.get("cache-control") !== "no-store") yield `a rejection may be cached: ${headers.get("cache-control")}`;
}

function* findRegistrationProblems(status: number, headers: Headers): Generator<string> {
  const challenge = headers.get("www-authenticate");
  if ((challenge !== null) !== (status === 401)) {
    yield `[SC-03] ${status} of registration has the challenge ${challenge}`;
  }
  if (challenge?.startsWith("Bearer realm=") === false) yield `[SC-03] the challenge is ${challenge}`;
  const isPreflight = headers.has("access-control-max-age");
  // Another path may begin like this one, and has no script of another origin.
  if (status !== 404 && !isPreflight && headers.get("cache-control") !== "no-store") {
    yield "[DR-01] the response may be cached";
  }
}

function* findClientEndpointProblems(
  endpoint: string,
  status: number,
  headers: Headers,
  type: string,
  { method, headers: sent }: RequestDraft,
): Generator<string> {
  const challenge = headers.get("www-authenticate");
  const isUserinfo = endpoint === "/oauth2/userinfo";
  const mayChallenge = status === 401 || (isUserinfo && status === 403);
  // A client that names itself in the body gets none (RFC 6749 §5.2).
  const mustChallenge = mayChallenge && (isUserinfo || sent.some(([name]) => name.toLowerCase() === "authorization"));
  if (challenge === null ? mustChallenge : !mayChallenge) {
    yield `[SC-03] ${status} of ${endpoint} has the challenge ${challenge}`;
  }
  if (challenge !== null && !(isUserinfo ? /^(?:Bearer|DPoP) realm=/ : /^Basic realm=/).test(challenge)) {
    yield `[SC-03] the challenge is ${challenge}`;
  }
  if (status >= 400 && status < 500 && type !== "application/json") yield `[SC-04] ${status} is ${type}`;
  const isPreflight = method === "OPTIONS" && status === 204;
  const success = endpoint === "/oauth2/par" ? 201 : 200;
  if (status < 400 && status !== success && !isPreflight) yield `[SC-04] success is ${status}`;
  if (!isPreflight && headers.get("cache-control") !== "no-store") yield "[TK-08] the response may be cached";
  const isShared = headers.get("access-control-allow-origin") === "*";
  if (isShared === notShared.includes(endpoint)) yield `[HT-05] ${status} of ${endpoint} shared: ${isShared}`;
}
