/** The public keys of clients: registered with them, or fetched from where they point to (RFC 7591 §2, `jwks_uri`). */

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
/** Milliseconds after which a fetch is given up. */
const jwksFetchTimeoutMs = 5000;
/** The largest key set that is read, in bytes. */
const maxJwksBytes = 256 * 1024;

/** What was fetched for a client. */
interface FetchedKeys {
  /** By the server's clock. */
  readonly fetchedAt: number;
  readonly keys: Promise<JWTVerifyGetKey>;
}

/** The keys fetched last, and the last failed fetch since. */
interface FetchAttempts {
  readonly last?: FetchedKeys;
  readonly failed?: FetchedKeys;
}

const registeredKeySets = new WeakMap<Client, JWTVerifyGetKey>();
const fetchAttempts = new WeakMap<Client, FetchAttempts>();

/**
 * The client's own keys, each imported once; keys that an assertion brings along count for nothing. Keys that are
 * elsewhere are fetched when they are needed, without following redirects, and once more when an assertion names an
 * unknown one, but not twice within half a minute, whether they could be fetched or not.
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
    // A clock that was set back makes everything old.
    const isFresh = (attempt: FetchedKeys | undefined, maxAgeMs: number): attempt is FetchedKeys =>
      attempt !== undefined && Math.abs(server.now() - attempt.fetchedAt) < maxAgeMs;
    if (isFresh(last, maxAgeMs)) return last.keys;
    if (isFresh(failed, minFetchIntervalMs)) return failed.keys;
    const attempt = { fetchedAt: server.now(), keys: fetchKeys(server, uri) };
    fetchAttempts.set(client, { last: attempt });
    attempt.keys.catch(() => {
      // What was fetched before is better than nothing.
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
    throw new errors.JOSEError(`jwks_uri answered ${response.status}, and 200 was expected`);
  }
  return createLocalJWKSet(JSON.parse(await readLimited(response)));
}

/** The text of an answer, which is nobody's to make endless. */
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
      throw new errors.JOSEError(`jwks_uri answered with more than ${maxJwksBytes} bytes`);
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}
