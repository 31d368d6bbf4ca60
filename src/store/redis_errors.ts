/** Why a Redis store cannot be opened or used: the driver's and the server's words turned into whole sentences. */

import { StoreError, type StoreFault } from "./store_error.ts";

type Phrases = Omit<StoreFault, "place">;

/** By error code of the system, or by the first word of the server's own error. */
const known: readonly (readonly [RegExp, Phrases])[] = [
  [
    /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ETIMEDOUT|ENOENT|MaxRetriesPerRequest|ConnectionRefused|isn't writeable/,
    {
      expected: "a Redis server that can be reached there",
      found: "none that answers",
      mend: "start it, or correct host and port; once open, the store connects again by itself",
    },
  ],
  [/SELF_SIGNED|UNABLE_TO_|CERT_|ALTNAME|UnknownIssuer|NotValidForName|invalid peer certificate/, {
    expected: "a certificate for that host, issued by a trusted certificate authority",
    found: "a certificate that fails verification; nothing was sent",
    mend: "set NODE_EXTRA_CA_CERTS (on Deno DENO_CERT) to the certificate file of your authority, or correct the host",
  }],
  [/ECONNRESET|EPIPE|Connection is closed|closed state|unfulfilled/i, {
    expected: "a connection that lasts",
    found: "that it broke",
    mend: "wait until the server is back; the store connects again by itself",
  }],
  [/WRONGPASS|NOAUTH|NOPERM/, {
    expected: "a user and password that the server accepts, with the right to run scripts",
    found: "that it refuses them",
    mend: "correct them in the URL, percent-encoded, or grant ~{latchkey}:* +@all to that user",
  }],
  [/READONLY/, {
    expected: "a server that may be written to",
    found: "a replica",
    mend: "name the primary in the URL",
  }],
  [/\bOOM\b|MISCONF/, {
    expected: "room for another record",
    found: "a full memory or disk",
    mend: "make room; the server must not evict records to do so",
  }],
  [/LOADING|MASTERDOWN|CLUSTERDOWN|NOREPLICAS/, {
    expected: "a server that is ready",
    found: "one that is still starting, or lacks its replicas",
    mend: "wait, nothing has to be restarted",
  }],
];

/** What was thrown, for a person; a StoreError stays as it is. */
export function redisError(place: string, thrown: unknown): StoreError {
  if (thrown instanceof StoreError) return thrown;
  const { code, name, message } = thrown as { code?: string; name?: string; message?: string };
  const phrases = known.find(([sign]) => sign.test(`${code} ${name} ${message}`))?.[1] ?? {
    expected: "a Redis server in good order",
    found: "a failure that the store does not know",
    mend: "look into the log of the server",
  };
  return new StoreError({ place, ...phrases }, thrown);
}

/** Whether the server may no longer be written to, because it follows another one now. */
export function isReadOnly(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message.startsWith("READONLY");
}

/** The write happened, but a failover might still lose it: what hangs on it is refused. */
export function notReplicated(place: string, expected: number, found: number): StoreError {
  return new StoreError({
    place,
    expected: `${expected} ${expected === 1 ? "replica" : "replicas"} to have the record in time`,
    found: String(found),
    mend: "see to the replicas, or lower the store's replicas and accept that a failover may lose the last moment",
  });
}
