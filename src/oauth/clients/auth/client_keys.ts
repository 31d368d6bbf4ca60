/** The public keys of clients: registered with them, or fetched from where they point to (RFC 7591 §2, `jwks_uri`). */

import { createLocalJWKSet, errors } from "jose";
import type { JSONWebKeySet, JWTVerifyGetKey } from "jose";
import type { Client } from "../repository.ts";
import type { Server } from "../../server.ts";

/**
 * Milliseconds for which fetched keys are valid, and the minimum time between fetches after an unknown key or a failed
 * fetch.
 */
const longest = 600_000;
const shortest = 30_000;
/** Milliseconds after which a fetch is given up. */
const patience = 5000;
/** The largest key set that is read, in bytes. */
const largest = 256 * 1024;

/** What was fetched for a client. */
interface Fetched {
  /** By the server's clock. */
  readonly at: number;
  readonly keys: Promise<JWTVerifyGetKey>;
}

/** The keys fetched last, and the last failed fetch since. */
interface Attempts {
  readonly last?: Fetched;
  readonly failed?: Fetched;
}

const registered = new WeakMap<Client, JWTVerifyGetKey>();
const fetched = new WeakMap<Client, Attempts>();

/**
 * The client's own keys, each imported once; keys that an assertion brings along count for nothing. Keys that are
 * elsewhere are fetched when they are needed, without following redirects, and once more when an assertion names an
 * unknown one, but not twice within half a minute, whether they could be fetched or not.
 */
export function keysOf(server: Server, client: Client): JWTVerifyGetKey {
  const { jwksUri } = client;
  if (jwksUri !== undefined) return fetchedKeys(server, client, jwksUri);
  let keys = registered.get(client);
  if (keys === undefined) registered.set(client, keys = createLocalJWKSet(client.jwks as JSONWebKeySet));
  return keys;
}

function fetchedKeys(server: Server, client: Client, uri: string): JWTVerifyGetKey {
  const younger = (age: number) => {
    const { last, failed } = fetched.get(client) ?? {};
    // A clock that was set back makes everything old.
    const isYounger = (attempt: Fetched | undefined, age: number): attempt is Fetched =>
      attempt !== undefined && Math.abs(server.now() - attempt.at) < age;
    if (isYounger(last, age)) return last.keys;
    if (isYounger(failed, shortest)) return failed.keys;
    const attempt = { at: server.now(), keys: fetchKeys(server, uri) };
    fetched.set(client, { last: attempt });
    attempt.keys.catch(() => {
      // What was fetched before is better than nothing.
      if (fetched.get(client)?.last === attempt) fetched.set(client, { last, failed: attempt });
    });
    return attempt.keys;
  };
  return async (header, token) => {
    const keys = await younger(longest);
    try {
      return await keys(header, token);
    } catch (error) {
      const newer = error instanceof errors.JWKSNoMatchingKey ? await younger(shortest) : keys;
      if (newer === keys) throw error;
      return await newer(header, token);
    }
  };
}

async function fetchKeys({ outbound }: Server, uri: string): Promise<JWTVerifyGetKey> {
  const response = await outbound(uri, {
    headers: { accept: "application/jwk-set+json, application/json" },
    redirect: "manual",
    signal: AbortSignal.timeout(patience),
  });
  if (response.status !== 200) {
    response.body?.cancel().catch(() => {});
    throw new errors.JOSEError(`jwks_uri answered ${response.status}, and 200 was expected`);
  }
  return createLocalJWKSet(JSON.parse(await readBounded(response)));
}

/** The text of an answer, which is nobody's to make endless. */
async function readBounded({ body }: Response): Promise<string> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = "";
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.byteLength;
    if (size > largest) {
      reader.cancel().catch(() => {});
      throw new errors.JOSEError(`jwks_uri answered with more than ${largest} bytes`);
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}
