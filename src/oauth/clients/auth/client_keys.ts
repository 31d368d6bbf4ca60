/** The public keys of clients: from their `jwks`, or fetched from their `jwks_uri` (RFC 7591 §2). */

import { createLocalJWKSet, errors } from "jose";
import type { JSONWebKeySet, JWTVerifyGetKey } from "jose";
import type { Client } from "../repository.ts";
import type { Server } from "../../server.ts";

/**
 * Milliseconds for which fetched keys are valid, and the minimum time between fetches after an unknown key or a failed
 * fetch.
 */
const maxKeyAgeMs = 600_000;
const minFetchIntervalMs = 30_000;
/** Timeout of a fetch, in milliseconds. */
const jwksFetchTimeoutMs = 5000;
/** Maximum size of a key set, in bytes. */
const maxJwksBytes = 256 * 1024;

/** The fetched keys of a client. */
interface FetchedKeys {
  /** When they were fetched, by the server's clock in milliseconds. */
  readonly fetchedAt: number;
  readonly keys: Promise<JWTVerifyGetKey>;
}

/** The last successful fetch, and the last failed one after it. */
interface FetchAttempts {
  readonly last?: FetchedKeys;
  readonly failed?: FetchedKeys;
}

const registeredKeySets = new WeakMap<Client, JWTVerifyGetKey>();
const fetchAttempts = new WeakMap<Client, FetchAttempts>();

/**
 * The registered keys of a client, each imported once; keys in the header of an assertion are ignored. Keys of a
 * `jwks_uri` are fetched when they are needed, without following redirects (SSRF). They are fetched again if an assertion
 * names an unknown key, at most once in 30 seconds.
 */
export function clientKeys(server: Server, client: Client): JWTVerifyGetKey {
  const { jwksUri } = client;
  if (jwksUri !== undefined) return fetchedKeys(server, client, jwksUri);
  let keys = registeredKeySets.get(client);
  if (keys === undefined) registeredKeySets.set(client, keys = createLocalJWKSet(client.jwks as JSONWebKeySet));
  return keys;
}

function fetchedKeys(server: Server, client: Client, uri: string): JWTVerifyGetKey {
  const getKeys = (maxAgeMs: number) => {
    const { last, failed } = fetchAttempts.get(client) ?? {};
    // If the clock was set back, the keys count as expired.
    const isFresh = (attempt: FetchedKeys | undefined, maxAgeMs: number): attempt is FetchedKeys =>
      attempt !== undefined && Math.abs(server.now() - attempt.fetchedAt) < maxAgeMs;
    if (isFresh(last, maxAgeMs)) return last.keys;
    if (isFresh(failed, minFetchIntervalMs)) return failed.keys;
    const attempt = { fetchedAt: server.now(), keys: fetchKeys(server, uri) };
    fetchAttempts.set(client, { last: attempt });
    attempt.keys.catch(() => {
      // Keeps the keys of the last successful fetch.
      if (fetchAttempts.get(client)?.last === attempt) fetchAttempts.set(client, { last, failed: attempt });
    });
    return attempt.keys;
  };
  return async (header, token) => {
    const keys = await getKeys(maxKeyAgeMs);
    try {
      return await keys(header, token);
    } catch (error) {
      const newer = error instanceof errors.JWKSNoMatchingKey ? await getKeys(minFetchIntervalMs) : keys;
      if (newer === keys) throw error;
      return await newer(header, token);
    }
  };
}

async function fetchKeys({ outbound }: Server, uri: string): Promise<JWTVerifyGetKey> {
  const response = await outbound(uri, {
    headers: { accept: "application/jwk-set+json, application/json" },
    redirect: "manual",
    signal: AbortSignal.timeout(jwksFetchTimeoutMs),
  });
  if (response.status !== 200) {
    response.body?.cancel().catch(() => {});
    throw new errors.JOSEError(`expected status 200 from jwks_uri, received ${response.status}`);
  }
  return createLocalJWKSet(JSON.parse(await readLimited(response)));
}

/** Reads the text of a response, up to the maximum size. */
async function readLimited({ body }: Response): Promise<string> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = "";
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.byteLength;
    if (size > maxJwksBytes) {
      reader.cancel().catch(() => {});
      throw new errors.JOSEError(`expected at most ${maxJwksBytes} bytes from jwks_uri`);
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}
