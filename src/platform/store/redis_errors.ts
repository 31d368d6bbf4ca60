/** Converts errors of Redis and its driver to a `StoreError` with expected, received and a fix. */

import { StoreError, type StoreErrorPhrases } from "../../core/store/store.ts";

/** Messages by error code of the system, or by the first word of a Redis error. */
const phrasesByCode: readonly (readonly [RegExp, StoreErrorPhrases])[] = [
  [
    /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ETIMEDOUT|ENOENT|MaxRetriesPerRequest|ConnectionRefused|isn't writeable/,
    {
      expected: "a reachable Redis server",
      received: "no response",
      hint: "start it, or correct host and port; an open store reconnects by itself",
    },
  ],
  [/SELF_SIGNED|UNABLE_TO_|CERT_|ALTNAME|UnknownIssuer|NotValidForName|invalid peer certificate/, {
    expected: "a certificate for that host, issued by a trusted certificate authority",
    received: "a certificate that fails verification; nothing was sent",
    hint: "set NODE_EXTRA_CA_CERTS (on Deno DENO_CERT) to the certificate file of your authority, or correct the host",
  }],
  [/ECONNRESET|EPIPE|Connection is closed|closed state|unfulfilled/i, {
    expected: "an open connection",
    received: "a broken connection",
    hint: "wait until the server is back; the store reconnects by itself",
  }],
  [/WRONGPASS|NOAUTH|NOPERM/, {
    expected: "a user and password that the server accepts, with the right to run scripts",
    received: "rejected credentials",
    hint: "correct them in the URL, percent-encoded, or grant ~{latchkey}:* +@all to that user",
  }],
  [/READONLY/, { expected: "a writable server", received: "a replica", hint: "use the URL of the primary" }],
  [/\bOOM\b|MISCONF/, {
    expected: "free memory and disk space",
    received: "a full memory or disk",
    hint: "free memory or disk space; the server must not evict records",
  }],
  [/LOADING|MASTERDOWN|CLUSTERDOWN|NOREPLICAS/, {
    expected: "a server that is ready",
    received: "a server that is starting, or lacks its replicas",
    hint: "wait; no restart is needed",
  }],
];

/** Converts an error to a StoreError; returns a StoreError unchanged. */
export function redisError(location: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const { code, name, message } = cause as { code?: string; name?: string; message?: string };
  const phrases = phrasesByCode.find(([pattern]) => pattern.test(`${code} ${name} ${message}`))?.[1] ??
    { expected: "a working Redis server", received: "an unknown error", hint: "see the log of the server" };
  return new StoreError({ location, ...phrases }, cause);
}

/** Whether the server is read-only, because it has become a replica. */
export function isReadOnly(cause: unknown): boolean {
  return cause instanceof Error && cause.message.startsWith("READONLY");
}
