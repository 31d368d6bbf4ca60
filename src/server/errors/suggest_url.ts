/** The endpoint that a client with a wrong path probably meant. */

import { suggest } from "../../core/policy/suggest.ts";
import type { Context } from "../../core/http/context.ts";
import { publicUrl } from "../../core/http/endpoint.ts";

/** The last path segments of endpoints on other servers, each with the segment on this server. */
const otherNames: Readonly<Record<string, string>> = {
  auth: "authorize",
  authorization: "authorize",
  certs: "jwks",
  end_session: "logout",
  endsession: "logout",
  keys: "jwks",
  user: "userinfo",
};

/** The URL of the client endpoint whose path has a similar last segment; `undefined` if there is none. */
export function suggestUrl({ app, server, target }: Context): string | undefined {
  // The issuer was written with a slash at its end, and a path behind it.
  const path = target.path.replaceAll(/\/+/g, "/");
  const doubled = app.endpoints.find(({ path: own, aliases = [] }) => own === path || aliases.includes(path));
  if (path !== target.path && doubled !== undefined) return publicUrl(server, { ...doubled, path });
  const endpoints = app.endpoints.filter(({ metadataName, role }) => metadataName !== undefined || role === "document")
    .flatMap(({ caller, path, aliases = [] }) => [path, ...aliases].map((path) => ({ caller, path })))
    // A resource at another origin.
    .filter(({ path }) => !path.startsWith("//"));
  const wellKnown = wellKnownName(target.path);
  const documents = endpoints.filter(({ path }) => wellKnown !== undefined && wellKnownName(path) === wellKnown);
  const document = documents.findLast(({ path }) => lastSegment(path) === wellKnown) ?? documents[0];
  if (document !== undefined) return publicUrl(server, document);
  const paths = new Map(endpoints.map((endpoint) => [lastSegment(endpoint.path), endpoint]));
  const segment = requestedSegment(target.path);
  const known = Object.hasOwn(otherNames, segment) ? otherNames[segment]! : segment;
  // Short words are similar to many names.
  const name = paths.has(known) || segment.length < 5 ? known : suggest(known, [...paths.keys()]);
  const endpoint = paths.get(name ?? "");
  return endpoint && publicUrl(server, endpoint);
}

/** A path of the issuer `default` of mock-oauth2-server, which has an issuer for each first segment of a path. */
const issuerByPath = /^(?:\/\.well-known\/[\w-]+)?\/default(?:\/|$)/;

/** What serves a path of mock-oauth2-server; `undefined` for any other path. */
export function suggestIssuersByPath({ target }: Context): { message: string; fix: string } | undefined {
  if (!issuerByPath.test(target.path)) return undefined;
  return {
    message: "This address does not exist. For issuers by path, as mock-oauth2-server has them, pass its JSON_CONFIG " +
      "as LATCHKEY_CONFIG_JSON",
    fix:
      `Start with LATCHKEY_CONFIG_JSON='{"tokenCallbacks":[]}', or the JSON_CONFIG of the suite: the first segment ` +
      "of a path is then an issuer.",
  };
}

/** The name of the document of a well-known URI (RFC 8615), wherever it stands in a path. */
function wellKnownName(path: string): string | undefined {
  return /\/\.well-known\/([^/]+)/.exec(path)?.[1];
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The last segment of a requested path in lower case, without slashes and `.json` at its end. */
function requestedSegment(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end--;
  const segment = lastSegment(path.slice(0, end)).toLowerCase();
  return segment.endsWith(".json") ? segment.slice(0, -".json".length) : segment;
}
