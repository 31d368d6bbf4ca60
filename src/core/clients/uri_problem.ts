/** Describes what is wrong with a URI of a client (OAuth 2.1 §2.3, §4.1.1, §8.4.2). */

import type { ConfigIssue } from "../rules/configuration_error.ts";
import { responseParameters, type UriProblem } from "./redirect_uri.ts";
import { type LocalUrls, unroutableHosts } from "../http/test_hosts.ts";

export type UriIssue = Pick<ConfigIssue, "expected" | "hint">;

/** The hosts that {@link allowsHttp} allows, for messages. */
export function httpHosts(localUrls: LocalUrls): string {
  return localUrls ? ["a test host (static/docs/test-hosts.md)", ...localUrls].join(", ") : unroutableHosts;
}

/** What is wrong with a URI, and how to fix it. */
export function describeUriProblem(problem: UriProblem, uri: string, localUrls: LocalUrls): UriIssue {
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
    case "path":
      return { expected: "path and query as a browser sends them", hint: `Write it as ${new URL(uri).href}.` };
    case "host":
      return /^https?:\/\/[^/?]/i.test(uri)
        ? { expected: "a host and port in their normal form", hint: `Write them as ${new URL(uri).host}.` }
        : { expected: "two slashes and a host after the scheme", hint: "Write it as https://host/path." };
    case "http":
      return {
        expected: `https, or http on ${httpHosts(localUrls)}`,
        hint: "Use https.",
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
