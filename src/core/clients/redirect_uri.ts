/** Redirect URIs: which may be registered, which match, and responses in them (OAuth 2.1 §2.3, §4.1.1, §8.4.2). */

import { allowsHttp, isLoopback, type LocalUrls } from "../http/test_hosts.ts";

/** Whether a URI has a private-use scheme that several apps may claim, because no domain name belongs to its owner. */
export function isUndottedScheme(uri: string): boolean {
  return /^(?!https?:)[^:.]+:/i.test(uri);
}

/** The parameters of authorization responses; a registered query must not contain them (parameter injection). */
export const responseParameters: readonly string[] = [
  "code",
  "id_token",
  "access_token",
  "response",
  "error",
  "error_description",
  "error_uri",
  "state",
  "iss",
];

/** Schemes that lead to no client. */
const otherSchemes = new Set([
  ...["javascript:", "data:", "vbscript:", "file:", "blob:", "about:", "view-source:"],
  ...["ws:", "wss:", "ftp:", "mailto:", "tel:", "sms:", "urn:", "intent:", "jar:", "filesystem:", "chrome:"],
  ...["feed:", "mhtml:", "livescript:", "resource:", "ms-msdt:", "search-ms:", "microsoft-edge:", "android-app:"],
  ...["googlechrome:", "googlechromes:"],
]);

/**
 * What is wrong with a URI of a client; `host` also if it is not in its normal form, where its default port may be
 * written out.
 */
export type UriProblem =
  | "characters"
  | "relative"
  | "fragment"
  | "wildcard"
  | "scheme"
  | "no scheme"
  | "user information"
  | "path"
  | "host"
  | "http"
  | "undotted scheme"
  | "response parameter";

/**
 * The first problem of a URI that a client registers for redirects; `undefined` if it has none.
 *
 * @param allowHttp Whether plain http is allowed for every host. Default: only as {@link allowsHttp} says.
 */
export function findRedirectUriProblem(uri: string, localUrls: LocalUrls, allowHttp?: boolean): UriProblem | undefined {
  const problem = findUriProblem(uri, localUrls, allowHttp);
  if (problem !== undefined) return problem;
  const { searchParams } = new URL(uri);
  return responseParameters.some((name) => searchParams.has(name)) ? "response parameter" : undefined;
}

/** The same for any other URI of a client, whose query may have any parameter. */
export function findUriProblem(uri: string, localUrls: LocalUrls, allowHttp = false): UriProblem | undefined {
  // The URL parser would accept characters that a URI must not contain (RFC 3986 §2).
  if (!/^[\x21-\x7E]+$/.test(uri) || /["<>\\^`{|}]/.test(uri)) return "characters";
  if (!URL.canParse(uri)) return "relative";
  const { protocol, host, hostname, username, password, href } = new URL(uri);
  if (uri.includes("#")) return "fragment";
  if (uri.includes("*")) return "wildcard";
  // A page of any site can claim a scheme that begins with web+ (HTML, `registerProtocolHandler`).
  if (otherSchemes.has(protocol) || protocol.startsWith("web+")) return "scheme";
  // An empty label: no app owns a domain name that this scheme reverses (RFC 8252 §7.1).
  if (/\.[.:]/.test(protocol)) return "scheme";
  if (username !== "" || password !== "" || /^[a-z][a-z0-9+.-]*:\/\/[^/?]*@/i.test(uri)) return "user information";
  // The browser requests the normal form, which may lead to another page than the registered text says.
  const isNormal = withoutAuthority(href) === withoutAuthority(uri);
  if (!/^https?:$/.test(protocol)) {
    if (/^[^:]+:\d/.test(uri)) return "no scheme";
    if (!isNormal) return "path";
    return !localUrls && isUndottedScheme(uri) ? "undotted scheme" : undefined;
  }
  const authority = /^https?:\/\/([^/?]+)/i.exec(uri)?.[1]?.toLowerCase();
  if (authority !== host && authority !== `${host}:${protocol === "https:" ? 443 : 80}`) return "host";
  if (!isNormal) return "path";
  return protocol === "http:" && !allowHttp && !allowsHttp(hostname, localUrls) ? "http" : undefined;
}

/** Path and query of a URI as they are written; without a path it is `/`. */
function withoutAuthority(uri: string): string {
  const rest = uri.replace(/^[^:]+:(?:\/\/[^/?]*)?/, "");
  return rest.startsWith("/") ? rest : `/${rest}`;
}

const portAfterLoopback = /^(https?:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::(\d{1,5}))?(?=[/?]|$)/;

/**
 * Whether a requested redirect URI is the registered one: the same characters, except that on a loopback host over http
 * any port matches (§8.4.2; for `localhost` only if `isNative`). It compares texts and parses no URL.
 *
 * @param localUrls `allows.localUrls`: any port also matches over https, because the TLS servers of test suites listen
 *   on a free port.
 */
export function matchesRedirectUri(
  registered: string,
  requested: string,
  isNative: boolean,
  localUrls: LocalUrls,
): boolean {
  if (registered === requested) return true;
  const registeredParts = portAfterLoopback.exec(registered);
  const requestedParts = portAfterLoopback.exec(requested);
  if (registeredParts === null || requestedParts === null || registeredParts[1] !== requestedParts[1]) return false;
  const [, origin, port] = requestedParts;
  if (origin!.endsWith("localhost") && !isNative || origin!.startsWith("https:") && !localUrls) return false;
  if (port !== undefined && (port.startsWith("0") || Number(port) > 65535)) return false;
  return registered.slice(registeredParts[0].length) === requested.slice(requestedParts[0].length);
}

/** Whether a redirect URI leads to a program on the user's own device. */
export function redirectsToDevice(uri: string): boolean {
  if (!URL.canParse(uri)) return false;
  const { protocol, hostname } = new URL(uri);
  return !/^https?:$/.test(protocol) || isLoopback(hostname);
}

/** Appends response parameters to a redirect URI and keeps its own query (OAuth 2.1 §2.3). */
export function appendToRedirectUri(uri: string, response: readonly (readonly [string, string])[]): string {
  const queryIndex = uri.indexOf("?");
  const separator = queryIndex < 0 ? "?" : queryIndex === uri.length - 1 || uri.endsWith("&") ? "" : "&";
  return uri + separator + encodeFields(response);
}

export function encodeFields(fields: readonly (readonly [string, string])[]): string {
  return fields.map(([name, value]) => `${name}=${encodeFormValue(value)}`).join("&");
}

const unreserved = /^[\w.~-]*$/;

/** Percent-encodes everything but unreserved characters; a lone surrogate becomes U+FFFD. */
export function encodeFormValue(value: string): string {
  if (unreserved.test(value)) return value;
  return encodeURIComponent(value.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
