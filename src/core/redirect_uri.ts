/** Redirect URIs: which one matches a registered one, and responses in them (OAuth 2.1 §2.3, §4.1.1, §8.4.2). */

import { isLoopback, type LocalUrls } from "./test_hosts.ts";

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
