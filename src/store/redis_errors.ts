/** Why a Redis store cannot be opened or used: the driver's and the server's words turned into whole sentences. */

import { StoreError, type StoreErrorDetails } from "./store_error.ts";

type StoreErrorPhrases = Omit<StoreErrorDetails, "location">;

/** By error code of the system, or by the first word of the server's own error. */
const phrasesByCode: readonly (readonly [RegExp, StoreErrorPhrases])[] = [
  [
    /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ETIMEDOUT|ENOENT|MaxRetriesPerRequest|ConnectionRefused|isn't writeable/,
    {
      expected: "a Redis server that can be reached there",
      received: "none that answers",
      hint: "start it, or correct host and port; once open, the store connects again by itself",
    },
  ],
  [/SELF_SIGNED|UNABLE_TO_|CERT_|ALTNAME|UnknownIssuer|NotValidForName|invalid peer certificate/, {
    expected: "a certificate for that host, issued by a trusted certificate authority",
    received: "a certificate that fails verification; nothing was sent",
    hint: "set NODE_EXTRA_CA_CERTS (on Deno DENO_CERT) to the certificate file of your authority, or correct the host",
  }],
  [/ECONNRESET|EPIPE|Connection is closed|closed state|unfulfilled/i, {
    expected: "a connection that lasts",
    received: "that it broke",
    hint: "wait until the server is back; the store connects again by itself",
  }],
  [/WRONGPASS|NOAUTH|NOPERM/, {
    expected: "a user and password that the server accepts, with the right to run scripts",
    received: "that it refuses them",
    hint: "correct them in the URL, percent-encoded, or grant ~{latchkey}:* +@all to that user",
  }],
  [/READONLY/, {
    expected: "a server that may be written to",
    received: "a replica",
    hint: "name the primary in the URL",
  }],
  [/\bOOM\b|MISCONF/, {
    expected: "room for another record",
    received: "a full memory or disk",
    hint: "make room; the server must not evict records to do so",
  }],
  [/LOADING|MASTERDOWN|CLUSTERDOWN|NOREPLICAS/, {
    expected: "a server that is ready",
    received: "one that is still starting, or lacks its replicas",
    hint: "wait, nothing has to be restarted",
  }],
];

/** What was thrown, for a person; a StoreError stays as it is. */
export function redisError(location: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const { code, name, message } = cause as { code?: string; name?: string; message?: string };
  const phrases = phrasesByCode.find(([pattern]) => pattern.test(`${code} ${name} ${message}`))?.[1] ?? {
    expected: "a Redis server in good order",
    received: "a failure that the store does not know",
    hint: "look into the log of the server",
  };
  return new StoreError({ location, ...phrases }, cause);
}

/** Whether the server may no longer be written to, because it follows another one now. */
export function isReadOnly(cause: unknown): boolean {
  return cause instanceof Error && cause.message.startsWith("READONLY");
}

/** The write happened, but a failover might still lose it: what hangs on it is refused. */
export function notReplicated(location: string, expected: number, received: number): StoreError {
  return new StoreError({
    location,
    expected: `${expected} ${expected === 1 ? "replica" : "replicas"} to have the record in time`,
    received: String(received),
    hint: "see to the replicas, or lower the store's replicas and accept that a failover may lose the last moment",
  });
}
