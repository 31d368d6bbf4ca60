/** Fetches and caches the metadata of a resource's authorization server (RFC 8414, OpenID Connect Discovery). */

import { isObject } from "../core/http/json_value.ts";
import { basePath } from "../core/http/names.ts";
import type { OAuthError } from "../core/rules/errors.ts";
import { reject } from "../server/rules/mod.ts";
import { DocumentError, type Outbound, parseJsonDocument, readLimited } from "../server/fetching/outbound.ts";
import { allowsPlainHttp } from "../server/config/host_kinds.ts";

/** Milliseconds for which metadata is valid, and the timeout of a fetch. */
const maxMetadataAgeMs = 3_600_000;
const fetchTimeoutMs = 5000;
/** Maximum size of a response, in bytes. */
const maxResponseBytes = 256 * 1024;

type Document = Readonly<Record<string, unknown>>;

/** @internal The authorization server of a resource, and how to reach it. */
export interface AuthorizationServerOptions {
  /** The issuer identifier. */
  readonly issuer: string;
  /** Sends requests to the authorization server. Default: the global `fetch`. */
  readonly fetch?: Outbound;
  /** The clock of caches, and of the expiry of tokens: milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: () => number;
}

/** An authorization server with its cached metadata. */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly outbound: Outbound;
  readonly now: () => number;
  /**
   * A URL of the metadata document, such as `jwks_uri`.
   *
   * @throws {OAuthError} `temporarily_unavailable`.
   */
  url(name: string): Promise<string>;
}

/**
 * Resolves the options.
 *
 * @throws {TypeError} If the issuer is neither https nor on a test host or a host of one network.
 */
export function authorizationServer(
  { issuer, fetch: outbound = (url, init) => globalThis.fetch(url, init), now = () => Date.now() }:
    AuthorizationServerOptions,
): AuthorizationServer {
  if (!isAllowedUrl(issuer)) {
    throw new TypeError(
      `issuer: expected an https URL, or an http URL on a test host or a host of one network, received ${
        JSON.stringify(issuer)
      }. ` +
        "Write the issuer of the metadata of the authorization server.",
    );
  }
  let cached: { readonly fetchedAt: number; readonly document: Promise<Document> } | undefined;

  function load(): Promise<Document> {
    if (cached !== undefined && Math.abs(now() - cached.fetchedAt) < maxMetadataAgeMs) return cached.document;
    const attempt = { fetchedAt: now(), document: fetchMetadata(issuer, outbound) };
    cached = attempt;
    attempt.document.catch(() => {
      // A failure is not cached.
      if (cached === attempt) cached = undefined;
    });
    return attempt.document;
  }

  return {
    issuer,
    outbound,
    now,
    async url(name) {
      const value = (await load())[name];
      if (typeof value === "string" && isAllowedUrl(value)) return value;
      throw unavailable(
        `${name} in the metadata of ${issuer}`,
        new DocumentError("an https URL", String(value)),
      );
    },
  };
}

function isAllowedUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || (protocol === "http:" && allowsPlainHttp(hostname));
}

/**
 * Tries the well-known URLs of the issuer in the order of MCP: RFC 8414, then OpenID Connect, inserted and appended.
 */
async function fetchMetadata(issuer: string, outbound: Outbound): Promise<Document> {
  const { origin } = new URL(issuer);
  const path = basePath(issuer);
  const urls = new Set([
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]);
  let failure: unknown;
  for (const url of urls) {
    try {
      const document = await fetchJson(outbound, url, {});
      if (document.issuer === issuer) return document;
      failure = new DocumentError(`issuer ${issuer} at ${url}`, String(document.issuer));
    } catch (error) {
      failure = error;
    }
  }
  throw unavailable(`the metadata of ${issuer}`, failure);
}

/** Fetches a JSON object: status 200, no redirects, of limited size and time. */
export async function fetchJson(outbound: Outbound, url: string, init: RequestInit): Promise<Document> {
  const response = await outbound(url, {
    ...init,
    headers: { accept: "application/json", ...init.headers as Record<string, string> },
    redirect: "manual",
    signal: AbortSignal.timeout(fetchTimeoutMs),
  });
  if (response.status !== 200) {
    response.body?.cancel().catch(() => {});
    throw new DocumentError(`status 200 from ${url}`, String(response.status));
  }
  const document = parseJsonDocument(await readLimited(response, maxResponseBytes), url);
  if (isObject(document)) return document as Document;
  throw new DocumentError(`a JSON object from ${url}`, "other JSON");
}

/** The error if a token cannot be checked now. A 401 would make the client discard a valid token. */
export function unavailable(expected: string, cause: unknown): OAuthError {
  const received = cause instanceof Error ? cause.message : String(cause);
  return reject("PR-15", { expected, received }, { retryAfter: 5, cause });
}
