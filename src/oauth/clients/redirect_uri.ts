/** Redirect URIs: which may be registered, and which request matches (OAuth 2.1 §2.3, §4.1.1, §8.4.2). */

import { allowsHttp, httpHosts } from "../test_hosts.ts";

/** Names that only this server may put into a redirect; a registered query must not use them. */
const responseNames = /^(?:code|state|error|error_description|error_uri|iss|id_token|access_token|response)$/;

const localSchemes = new Set([
  ...["javascript:", "data:", "vbscript:", "file:", "blob:", "about:", "view-source:"],
  ...["ws:", "wss:", "ftp:", "mailto:"],
]);

/**
 * Returns the fault of a redirect URI to be registered; `undefined` if it is valid.
 *
 * @param allowHttp Whether plain http is allowed for every host.
 * @param onTestHost Whether the issuer's host is a test host.
 */
export function redirectUriFault(
  uri: string,
  allowHttp: boolean,
  onTestHost: boolean,
): { readonly expected: string; readonly mend: string } | undefined {
  if (!/^[\x21-\x7E]+$/.test(uri)) {
    return { expected: "printable ASCII characters only", mend: "Percent-encode everything else." };
  }
  let url: URL;
  try {
    url = new URL(uri);
  } catch {
    return { expected: "an absolute URI", mend: "Begin it with https:// or, on a loopback host, http://." };
  }
  if (uri.includes("#")) return { expected: "a URI without a fragment", mend: "Remove the # and what follows it." };
  if (uri.includes("*")) {
    return { expected: "a URI without wildcards", mend: "Register each redirect URI as it will be sent." };
  }
  if (localSchemes.has(url.protocol)) {
    return {
      expected: "a scheme that leads to the client",
      mend: "Use https, http on a loopback host, or a private-use scheme such as com.example.app:/callback.",
    };
  }
  if (url.username !== "" || url.password !== "" || /^[a-z][a-z0-9+.-]*:\/\/[^/?]*@/i.test(uri)) {
    return { expected: "a URI without user information", mend: "Remove everything between // and @, and the @." };
  }
  if (url.protocol === "http:" || url.protocol === "https:") {
    if (!/^https?:\/\/[^/?]/i.test(uri)) {
      return { expected: "two slashes and a host after the scheme", mend: "Write it as https://host/path." };
    }
    if (url.protocol === "http:" && !allowHttp && !allowsHttp(url.hostname, onTestHost)) {
      return {
        expected: `https, or http on ${httpHosts(onTestHost)}`,
        mend: "Use https, or set insecureAllowHttpRedirectUris for a test that cannot.",
      };
    }
  } else if (/^[^:]+:\d/.test(uri)) {
    return { expected: "a scheme before the host", mend: "Begin it with https://, or http:// on a loopback host." };
  } else if (!url.protocol.includes(".")) {
    return {
      expected: "a private-use scheme with a dot, after a domain name of yours turned round",
      mend: "Write it as com.example.app:/callback.",
    };
  }
  for (const name of url.searchParams.keys()) {
    if (responseNames.test(name)) {
      return {
        expected: "a query without parameters that belong to the authorization response",
        mend: `Rename the parameter ${name}.`,
      };
    }
  }
  return undefined;
}

const portAfterLoopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::(\d{1,5}))?(?=[/?]|$)/;

/**
 * Whether a requested redirect URI is the registered one: the same characters, except that on a loopback host over http
 * any port matches (§8.4.2; for `localhost` only where `native` says so). The exemption works on the text alone.
 */
export function matchesRedirectUri(registered: string, requested: string, native: boolean): boolean {
  if (registered === requested) return true;
  const ours = portAfterLoopback.exec(registered);
  const theirs = portAfterLoopback.exec(requested);
  if (ours === null || theirs === null || ours[1] !== theirs[1]) return false;
  if (ours[1] === "http://localhost" && !native) return false;
  const port = theirs[2];
  if (port !== undefined && (port.startsWith("0") || Number(port) > 65535)) return false;
  return registered.slice(ours[0].length) === requested.slice(theirs[0].length);
}

/** Appends response parameters to a redirect URI and leaves what it holds untouched (OAuth 2.1 §2.3). */
export function appendToRedirectUri(uri: string, response: readonly (readonly [string, string])[]): string {
  const pairs = response.map(([name, value]) => `${name}=${encodeFormValue(value)}`).join("&");
  const mark = uri.indexOf("?");
  const joint = mark < 0 ? "?" : mark === uri.length - 1 || uri.endsWith("&") ? "" : "&";
  return uri + joint + pairs;
}

const unreserved = /^[\w.~-]*$/;

/** Percent-encodes everything but unreserved characters; a lone surrogate becomes U+FFFD. */
export function encodeFormValue(value: string): string {
  if (unreserved.test(value)) return value;
  return encodeURIComponent(value.toWellFormed()).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
