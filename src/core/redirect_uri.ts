/** The URIs of clients: which may be registered, and which redirect URI matches (OAuth 2.1 §2.3, §4.1.1, §8.4.2). */

import { quote } from "../server/config/config_issue.ts";
import type { ConfigIssue } from "./configuration_error.ts";
import { byProfile } from "./profile.ts";
import type { Server } from "./server.ts";
import { parseUrl, validateUrl } from "./keys/signing_algorithm.ts";
import { allowsHttp, httpHosts, isLoopback, type LocalUrls } from "./test_hosts.ts";
import type { ClientMetadata } from "./clients/client.ts";

/** Names of response parameters; a registered query must not contain them (parameter injection). */
const responseParameterNames = /^(?:code|state|error|error_description|error_uri|iss|id_token|access_token|response)$/;

const forbiddenSchemes = new Set([
  ...["javascript:", "data:", "vbscript:", "file:", "blob:", "about:", "view-source:"],
  ...["ws:", "wss:", "ftp:", "mailto:", "tel:", "sms:", "urn:", "intent:", "jar:", "filesystem:", "chrome:"],
  ...["feed:", "mhtml:", "livescript:", "resource:", "ms-msdt:", "search-ms:", "microsoft-edge:", "android-app:"],
  ...["googlechrome:", "googlechromes:"],
]);

/** A page of any site can claim such a scheme (HTML, `registerProtocolHandler`). */
const webScheme = /^web\+/;

/** The printable ASCII characters that a URI must not contain, except the backslash, which has its own issue. */
const notInUris = /["<>^`{|}]/;

type Policy = Server["settings"];

/** A problem of a URI. */
export type UriIssue = Pick<ConfigIssue, "expected" | "hint">;

/** Validates a redirect URI for registration, with the parameters of {@link validateClientUri}. */
export function validateRedirectUri(uri: string, allowHttp: boolean, localUrls: LocalUrls): UriIssue | undefined {
  const issue = validateClientUri(uri, allowHttp, localUrls);
  if (issue !== undefined) return issue;
  const name = [...new URL(uri).searchParams.keys()].find((name) => responseParameterNames.test(name));
  return name === undefined ? undefined : {
    expected: "a query without parameters that belong to the authorization response",
    hint: `Rename the parameter ${name}.`,
  };
}

/**
 * Validates a URI of a client for registration; returns `undefined` if it is valid.
 *
 * @param allowHttp Whether plain http is allowed for every host.
 */
export function validateClientUri(uri: string, allowHttp: boolean, localUrls: LocalUrls): UriIssue | undefined {
  if (!/^[\x21-\x7E]+$/.test(uri)) {
    return { expected: "printable ASCII characters only", hint: "Percent-encode everything else." };
  }
  const excluded = notInUris.exec(uri)?.[0];
  if (excluded !== undefined) {
    return {
      expected: "only characters that a URI may have (RFC 3986 §2)",
      hint: `Percent-encode ${excluded} as ${encodeURIComponent(excluded)}.`,
    };
  }
  if (uri.includes("\\")) {
    return { expected: "a URI without a backslash", hint: "Write slashes, or percent-encode it as %5C." };
  }
  let url: URL;
  try {
    url = new URL(uri);
  } catch {
    return { expected: "an absolute URI", hint: "Begin it with https:// or, on a loopback host, http://." };
  }
  if (uri.includes("#")) return { expected: "a URI without a fragment", hint: "Remove the # and the text after it." };
  if (uri.includes("*")) {
    return { expected: "a URI without wildcards", hint: "Register each redirect URI as it will be sent." };
  }
  if (forbiddenSchemes.has(url.protocol) || webScheme.test(url.protocol)) {
    return {
      expected: "a scheme that leads to the client",
      hint: "Use https, http on a loopback host, or a private-use scheme such as com.example.app:/callback.",
    };
  }
  if (url.username !== "" || url.password !== "" || /^[a-z][a-z0-9+.-]*:\/\/[^/?]*@/i.test(uri)) {
    return { expected: "a URI without user information", hint: "Remove everything between // and @, and the @." };
  }
  if (url.protocol === "http:" || url.protocol === "https:") {
    if (!/^https?:\/\/[^/?]/i.test(uri)) {
      return { expected: "two slashes and a host after the scheme", hint: "Write it as https://host/path." };
    }
    const authority = uri.split(/[/?]/)[2]!.toLowerCase();
    if (authority !== url.host && authority !== `${url.host}:${url.protocol === "https:" ? 443 : 80}`) {
      return { expected: "a host and port in their normal form", hint: `Write them as ${url.host}.` };
    }
    if (url.protocol === "http:" && !allowHttp && !allowsHttp(url.hostname, localUrls)) {
      return {
        expected: `https, or http on ${httpHosts(localUrls)}`,
        hint: "Use https. For a test without TLS, set insecureAllowHttpRedirectUris.",
      };
    }
  } else if (/^[^:]+:\d/.test(uri)) {
    return { expected: "a scheme before the host", hint: "Begin it with https://, or http:// on a loopback host." };
  } else if (!localUrls && isUndottedScheme(uri)) {
    return {
      expected: dottedScheme,
      hint: "Write it as com.example.app:/callback. To test with a product that has this scheme, use an issuer on a " +
        "test host.",
    };
  }
  return undefined;
}

/** The scheme that a redirect URI should have if it is neither http nor https. */
export const dottedScheme = "a private-use scheme with a dot: a reversed domain name that you own";

/** Whether a URI has a private-use scheme that several apps may claim, because no domain name belongs to its owner. */
export function isUndottedScheme(uri: string): boolean {
  return /^(?!https?:)[^:.]+:/i.test(uri);
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

/** Form-encodes response parameters. */
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

export function validateRedirectUris(client: ClientMetadata, settings: Policy): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const { redirect_uris: uris = [], grant_types = ["authorization_code"] } = client;
  if (uris.length === 0 && grant_types.includes("authorization_code")) {
    issues.push({
      path: "redirect_uris",
      expected: "at least one redirect URI, because the client is registered for authorization_code",
      received: "none",
      hint: "Add the URI that the client listens on, or change grant_types.",
    });
  }
  const { localUrls } = settings.allows;
  for (const [i, uri] of uris.entries()) {
    const issue = validateRedirectUri(uri, settings.insecureAllowHttpRedirectUris, localUrls);
    if (issue !== undefined) issues.push({ path: `redirect_uris[${i}]`, ...issue, received: quote(uri) });
    else if (settings.privateUseRedirectUris || /^https?:/i.test(uri)) {
      issues.push(...validateNativeUri(client, uri, i, settings));
    } else {
      issues.push({
        path: `redirect_uris[${i}]`,
        expected: `https, or http on a loopback host${byProfile(settings.profile, "privateUseRedirectUris")}`,
        received: quote(uri),
        hint: `Use https, or http://127.0.0.1 with any port. ${forTester(settings, "privateUseRedirectUris")}`,
      });
    }
  }
  return issues;
}

/**
 * Whether the server could accept a URI of a client with other settings. A registration may leave such a URI out; other
 * invalid ones are mistakes of the client.
 */
export function isUnsupportedUri(
  name: "redirect_uris" | "post_logout_redirect_uris",
  uri: string,
  client: ClientMetadata,
  settings: Policy,
): boolean {
  if (validateRedirectUri(uri, true, []) !== undefined) return false;
  const validateUris = name === "redirect_uris" ? validateRedirectUris : validatePostLogoutRedirectUris;
  return validateUris({ ...client, [name]: [uri] }, settings).length > 0;
}

/** How a tester can make the server accept the redirect URI of a product whose URI cannot change. */
function forTester(
  { profile }: Policy,
  setting: "privateUseRedirectUris" | "nativeOnlyRedirectUris",
): string {
  const change = byProfile(profile, setting) === "" ? `remove the setting ${setting}` : "leave the profile out";
  return `To test with a product that has this URI, ${change}.`;
}

/** An issue if only a native client may have the redirect URI. */
function validateNativeUri(
  { application_type = "web" }: ClientMetadata,
  uri: string,
  index: number,
  settings: Policy,
): ConfigIssue[] {
  const { nativeOnlyRedirectUris, profile } = settings;
  const { protocol, hostname } = new URL(uri);
  const kind = protocol === "http:" ? "loopback" : "private-use";
  if (protocol === "https:" || !nativeOnlyRedirectUris.includes(kind)) return [];
  const isNative = application_type === "native";
  if (isNative && (kind === "private-use" || isLoopback(hostname))) return [];
  const expected = isNative
    ? "https, or http on a loopback host"
    : `an https URI, because application_type is not "native"`;
  return [{
    path: `redirect_uris[${index}]`,
    expected: expected + byProfile(profile, "nativeOnlyRedirectUris"),
    received: quote(uri),
    hint: `${
      isNative
        ? "Use https, or http://127.0.0.1 with any port."
        : `Use https, or set application_type to "native" for an app on the user's own device.`
    } ${forTester(settings, "nativeOnlyRedirectUris")}`,
  }];
}

/** The URIs that the browser may be redirected to after logout. */
export function validatePostLogoutRedirectUris(client: ClientMetadata, settings: Policy): ConfigIssue[] {
  return (client.post_logout_redirect_uris ?? []).flatMap((uri, i) => {
    const issue = validateRedirectUri(uri, settings.insecureAllowHttpRedirectUris, settings.allows.localUrls);
    return issue === undefined ? [] : [{ path: `post_logout_redirect_uris[${i}]`, ...issue, received: quote(uri) }];
  });
}

/** The URLs that pages show as links. Only http and https are allowed, because other schemes can run scripts. */
export function validatePageUrls(client: ClientMetadata, { allows }: Policy): ConfigIssue[] {
  const issues = (["client_uri", "logo_uri", "policy_uri", "tos_uri"] as const).flatMap((path) => {
    const { [path]: uri } = client;
    return uri === undefined ? [] : validateUrl(path, uri, allows.localUrls);
  });
  return [...issues, ...validateInitiateLoginUri(client)];
}

/** Always https, on a loopback host too (OpenID Connect Core §4). A user name could look like another host. */
function validateInitiateLoginUri({ initiate_login_uri: uri }: ClientMetadata): ConfigIssue[] {
  const path = "initiate_login_uri";
  if (uri === undefined) return [];
  const { protocol, username, password } = parseUrl(uri) ?? {};
  if (protocol === "https:" && username === "" && password === "" && !uri.includes("#")) return [];
  const expected = "an https URL without user name and fragment";
  return [{ path, expected, received: quote(uri), hint: "Write https://host/path." }];
}

/** Whether only the host of a URL receives what is sent there: it has https, and is not localhost. */
export function isPublicUri(uri: string): boolean {
  if (!URL.canParse(uri)) return false;
  const { protocol, hostname } = new URL(uri);
  return protocol === "https:" && hostname !== "localhost";
}
