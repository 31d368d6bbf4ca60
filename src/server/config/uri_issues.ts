/** Checks the URIs of clients: which may be registered (OAuth 2.1 §2.3, §4.1.1, §8.4.2). */

import type { ClientMetadata } from "./client_metadata.ts";
import type { ConfigIssue } from "../../core/configuration_error.ts";
import type { Policy } from "../../core/policy.ts";
import {
  findRedirectUriProblem,
  findUriProblem,
  responseParameters,
  type UriProblem,
} from "../../core/redirect_uri.ts";
import { allowsHttp, isLoopback, type LocalUrls, testHosts, unroutableHosts } from "../../core/test_hosts.ts";
import { quote } from "./config_issue.ts";
import { byProfile, type ServerPolicy, serverPolicy } from "./server_policy.ts";

/**
 * Parses a text as a URL; `undefined` if it is not a URI. The URL parser alone would accept surrounding spaces, and
 * characters that a URI must not contain (RFC 3986 §2).
 */
export function parseUrl(text: string): URL | undefined {
  return /^[^\s\p{Cc}"<>\\^`{|}]+$/u.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}

/** The hosts that {@link allowsHttp} allows, for messages. */
function httpHosts(localUrls: LocalUrls): string {
  return localUrls ? [testHosts, ...localUrls].join(", ") : unroutableHosts;
}

/**
 * An issue of a URL that the server fetches, or that pages show to users as a link: it must be https, or http on a host
 * that {@link allowsHttp} allows.
 */
export function validateUrl(path: string, uri: string, localUrls: LocalUrls): ConfigIssue[] {
  const url = parseUrl(uri);
  if (url?.protocol === "https:" || url?.protocol === "http:" && allowsHttp(url.hostname, localUrls)) return [];
  const expected = `an https URL, or an http URL on ${httpHosts(localUrls)}`;
  return [{ path, expected, received: quote(uri), hint: "Write https://host/path." }];
}

/** A problem of a URI. */
export type UriIssue = Pick<ConfigIssue, "expected" | "hint">;

/** Validates a redirect URI for registration, with the parameters of {@link validateClientUri}. */
export function validateRedirectUri(uri: string, allowHttp: boolean, localUrls: LocalUrls): UriIssue | undefined {
  const problem = findRedirectUriProblem(uri, localUrls, allowHttp);
  return problem && describeProblem(problem, uri, localUrls);
}

/**
 * Validates a URI of a client for registration; returns `undefined` if it is valid.
 *
 * @param allowHttp Whether plain http is allowed for every host.
 */
export function validateClientUri(uri: string, allowHttp: boolean, localUrls: LocalUrls): UriIssue | undefined {
  const problem = findUriProblem(uri, localUrls, allowHttp);
  return problem && describeProblem(problem, uri, localUrls);
}

function describeProblem(problem: UriProblem, uri: string, localUrls: LocalUrls): UriIssue {
  switch (problem) {
    case "characters":
      return describeCharacters(uri);
    case "relative":
      return { expected: "an absolute URI", hint: "Begin it with https:// or, on a loopback host, http://." };
    case "fragment":
      return { expected: "a URI without a fragment", hint: "Remove the # and the text after it." };
    case "wildcard":
      return { expected: "a URI without wildcards", hint: "Register each redirect URI as it will be sent." };
    case "scheme":
      return {
        expected: "a scheme that leads to the client",
        hint: "Use https, http on a loopback host, or a private-use scheme such as com.example.app:/callback.",
      };
    case "no scheme":
      return { expected: "a scheme before the host", hint: "Begin it with https://, or http:// on a loopback host." };
    case "user information":
      return { expected: "a URI without user information", hint: "Remove everything between // and @, and the @." };
    case "host":
      return /^https?:\/\/[^/?]/i.test(uri)
        ? { expected: "a host and port in their normal form", hint: `Write them as ${new URL(uri).host}.` }
        : { expected: "two slashes and a host after the scheme", hint: "Write it as https://host/path." };
    case "http":
      return {
        expected: `https, or http on ${httpHosts(localUrls)}`,
        hint: 'Use https. For a test without TLS, add "http-redirect-uris" to insecure.',
      };
    case "undotted scheme":
      return {
        expected: dottedScheme,
        hint:
          "Write it as com.example.app:/callback. To test with a product that has this scheme, use an issuer on a " +
          "test host.",
      };
    case "response parameter": {
      const name = [...new URL(uri).searchParams.keys()].find((name) => responseParameters.includes(name));
      return {
        expected: "a query without parameters that belong to the authorization response",
        hint: `Rename the parameter ${name}.`,
      };
    }
  }
}

function describeCharacters(uri: string): UriIssue {
  if (!/^[\x21-\x7E]+$/.test(uri)) {
    return { expected: "printable ASCII characters only", hint: "Percent-encode everything else." };
  }
  const excluded = /["<>^`{|}]/.exec(uri)?.[0];
  if (excluded === undefined) {
    return { expected: "a URI without a backslash", hint: "Write slashes, or percent-encode it as %5C." };
  }
  return {
    expected: "only characters that a URI may have (RFC 3986 §2)",
    hint: `Percent-encode ${excluded} as ${encodeURIComponent(excluded)}.`,
  };
}

/** The scheme that a redirect URI should have if it is neither http nor https. */
export const dottedScheme = "a private-use scheme with a dot: a reversed domain name that you own";

/** The URIs that authorization responses may be sent to. */
export function validateRedirectUris(client: ClientMetadata, settings: ServerPolicy): ConfigIssue[] {
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
    const issue = validateRedirectUri(uri, settings.insecure.includes("http-redirect-uris"), localUrls);
    if (issue !== undefined) issues.push({ path: `redirect_uris[${i}]`, ...issue, received: quote(uri) });
    else if (settings.privateUseRedirectUris || /^https?:/i.test(uri)) {
      issues.push(...validateNativeUri(client, uri, i, settings));
    } else {
      issues.push({
        path: `redirect_uris[${i}]`,
        expected: `https, or http on a loopback host${byProfile(settings, "privateUseRedirectUris")}`,
        received: quote(uri),
        hint: `Use https, or http://127.0.0.1 with any port. ${forTester}`,
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
  return validateUris({ ...client, [name]: [uri] }, serverPolicy(settings)).length > 0;
}

/** How a tester can make the server accept the redirect URI of a product whose URI cannot change. */
const forTester = "To test with a product that has this URI, leave the profile out.";

/** An issue if only a native client may have the redirect URI. */
function validateNativeUri(
  { application_type = "web" }: ClientMetadata,
  uri: string,
  index: number,
  settings: ServerPolicy,
): ConfigIssue[] {
  const { nativeOnlyRedirectUris } = settings;
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
    expected: expected + byProfile(settings, "nativeOnlyRedirectUris"),
    received: quote(uri),
    hint: `${
      isNative
        ? "Use https, or http://127.0.0.1 with any port."
        : `Use https, or set application_type to "native" for an app on the user's own device.`
    } ${forTester}`,
  }];
}

/** The URIs that the browser may be redirected to after logout. */
export function validatePostLogoutRedirectUris(client: ClientMetadata, settings: ServerPolicy): ConfigIssue[] {
  return (client.post_logout_redirect_uris ?? []).flatMap((uri, i) => {
    const issue = validateRedirectUri(uri, settings.insecure.includes("http-redirect-uris"), settings.allows.localUrls);
    return issue === undefined ? [] : [{ path: `post_logout_redirect_uris[${i}]`, ...issue, received: quote(uri) }];
  });
}

/** The URLs that pages show as links. Only http and https are allowed, because other schemes can run scripts. */
export function validatePageUrls(client: ClientMetadata, { allows }: ServerPolicy): ConfigIssue[] {
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
