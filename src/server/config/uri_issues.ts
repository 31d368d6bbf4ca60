/** Checks the URIs of clients: which may be registered (OAuth 2.1 §2.3, §4.1.1, §8.4.2). */

import type { ClientMetadata } from "./client_metadata.ts";
import type { ConfigIssue } from "../../core/rules/configuration_error.ts";
import type { Field } from "../../core/policy/field.ts";
import type { Policy } from "../../core/policy/policy.ts";
import { describeUriProblem, httpHosts, type UriIssue } from "../../core/clients/uri_problem.ts";
import { validateRedirectUris as compareRedirectUris } from "../../core/clients/validate_client.ts";
import { findRedirectUriProblem, findUriProblem, type UriProblem } from "../../core/clients/redirect_uri.ts";
import { allowsHttp, isLocalHost, isLoopback, type LocalUrls } from "../../core/http/test_hosts.ts";
import { quote } from "./config_issue.ts";
import { asServerPolicy, byProfile, comparedServer, type ServerPolicy } from "./server_policy.ts";

/**
 * Parses a text as a URL; `undefined` if it is not a URI. The URL parser alone would accept surrounding spaces, and
 * characters that a URI must not contain (RFC 3986 §2).
 */
export function parseUrl(text: string): URL | undefined {
  return /^[^\s\p{Cc}"<>\\^`{|}]+$/u.test(text) && URL.canParse(text) ? new URL(text) : undefined;
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

/** Validates a redirect URI for registration, with the parameters of {@link validateClientUri}. */
export function validateRedirectUri(uri: string, allowHttp: boolean, localUrls: LocalUrls): UriIssue | undefined {
  return describe(findRedirectUriProblem(uri, localUrls, allowHttp), uri, localUrls);
}

/**
 * Validates a URI of a client for registration; returns `undefined` if it is valid.
 *
 * @param allowHttp Whether plain http is allowed for every host.
 */
export function validateClientUri(uri: string, allowHttp: boolean, localUrls: LocalUrls): UriIssue | undefined {
  return describe(findUriProblem(uri, localUrls, allowHttp), uri, localUrls);
}

function describe(problem: UriProblem | undefined, uri: string, localUrls: LocalUrls): UriIssue | undefined {
  const issue = problem && describeUriProblem(problem, uri, localUrls);
  const hint = 'Use https. For a test without TLS, add "http-redirect-uris" to insecure.';
  return problem === "http" ? { ...issue!, hint } : issue;
}

/** The URIs that authorization responses may be sent to. */
export function validateRedirectUris(client: ClientMetadata, policy: ServerPolicy): ConfigIssue[] {
  const allowHttp = policy.insecure.includes("http-redirect-uris");
  return compareRedirectUris(client, comparedServer(policy), (uri) => {
    const issue = validateRedirectUri(uri, allowHttp, policy.allows.localUrls);
    if (issue !== undefined) return issue;
    if (policy.privateUseRedirectUris || /^https?:/i.test(uri)) return findNativeIssue(client, uri, policy);
    return {
      expected: `https, or http on a loopback host${byProfile(policy, "privateUseRedirectUris")}`,
      hint: `Use https, or http://127.0.0.1 with any port. ${forTester}`,
    };
  });
}

/**
 * Whether the server could accept a URI of a client with other settings. A registration may leave such a URI out; other
 * invalid ones are mistakes of the client.
 */
export function isUnsupportedUri(
  name: "redirect_uris" | "post_logout_redirect_uris",
  uri: string,
  client: ClientMetadata,
  policy: Policy,
): boolean {
  if (validateRedirectUri(uri, true, []) !== undefined) return false;
  const validateUris = name === "redirect_uris" ? validateRedirectUris : validatePostLogoutRedirectUris;
  return validateUris({ ...client, [name]: [uri] }, asServerPolicy(policy)).length > 0;
}

/** How a tester can make the server accept the redirect URI of a product whose URI cannot change. */
const forTester = "To test with a product that has this URI, leave the profile out.";

/** The issue of a redirect URI that only a native client may have. */
function findNativeIssue(
  { application_type = "web" }: ClientMetadata,
  uri: string,
  policy: ServerPolicy,
): UriIssue | undefined {
  const { nativeOnlyRedirectUris } = policy;
  const { protocol, hostname } = new URL(uri);
  const kind = protocol === "http:" ? "loopback" : "private-use";
  if (protocol === "https:" || !nativeOnlyRedirectUris.includes(kind)) return undefined;
  const isNative = application_type === "native";
  if (isNative && (kind === "private-use" || isLoopback(hostname))) return undefined;
  const expected = isNative
    ? "https, or http on a loopback host"
    : `an https URI, because application_type is not "native"`;
  const fix = isNative
    ? "Use https, or http://127.0.0.1 with any port."
    : `Use https, or set application_type to "native" for an app on the user's own device.`;
  return { expected: expected + byProfile(policy, "nativeOnlyRedirectUris"), hint: `${fix} ${forTester}` };
}

/** The URIs that the browser may be redirected to after logout. */
export function validatePostLogoutRedirectUris(client: ClientMetadata, policy: ServerPolicy): ConfigIssue[] {
  return (client.post_logout_redirect_uris ?? []).flatMap((uri, i) => {
    const issue = validateRedirectUri(uri, policy.insecure.includes("http-redirect-uris"), policy.allows.localUrls);
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

/** Whether the server fetches a URL although its host may not have a public address; see `allowsLocalFetch`. */
export function isLocalUrl(policy: Policy, url: string): boolean {
  const { allows, privateHosts } = asServerPolicy(policy);
  const { hostname } = new URL(url);
  return privateHosts.includes(hostname) || isLocalHost(hostname, allows.localUrls);
}

/** The members that the server fetches, calls or loads in a frame, and that have a local URL, as issues. */
export function findLocalUris(metadata: Partial<ClientMetadata>, policy: Policy): ConfigIssue[] {
  return Object.entries<Field>(asServerPolicy(policy).clientField.members).flatMap(([path, { isFetched }]) => {
    const uri = metadata[path as keyof ClientMetadata];
    if (!isFetched || typeof uri !== "string" || !URL.canParse(uri) || !isLocalUrl(policy, uri)) return [];
    return [{
      path,
      expected:
        "a URL of a public host, because this client registered itself and may not make the server use local hosts",
      received: quote(uri),
      hint: "Register from this machine and not from a web page, or configure the client.",
    }];
  });
}
