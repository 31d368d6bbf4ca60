/** Why a PostgreSQL store cannot be opened or used: the driver's and the database's words turned into whole sentences. */

import { StoreError, type StoreErrorDetails } from "../store_error.ts";

type StoreErrorPhrases = Omit<StoreErrorDetails, "location">;

/** By error code: of the system, of the driver, or of PostgreSQL (its Appendix A). */
const phrasesByCode: readonly (readonly [RegExp, StoreErrorPhrases])[] = [
  [
    /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ECONNRESET|EPIPE|ETIMEDOUT|ENETUNREACH|CONNECT_TIMEOUT|ENOENT|ConnectionRefused/,
    {
      expected: "a PostgreSQL server that can be reached there",
      received: "none that answers",
      hint: "start it, or correct host and port; once open, the store connects again by itself",
    },
  ],
  [/SELF_SIGNED|UNABLE_TO_|CERT_|ALTNAME|UnknownIssuer|NotValidForName|invalid peer certificate/, {
    expected: "a certificate for that host, issued by a trusted certificate authority",
    received: "a certificate that fails verification; nothing was sent",
    hint: "add sslrootcert=PATH, the certificate of your authority, to the URL, or correct the host",
  }],
  [/NO_TLS/, {
    expected: "a server that supports TLS",
    received: "a server that does not",
    hint: "set ssl = on in postgresql.conf, or, for a server on this machine only, remove sslmode",
  }],
  [/CONNECTION_CLOSED|CONNECTION_ENDED|CONNECTION_DESTROYED|57P0[123]/, {
    expected: "a connection that lasts",
    received: "that the server closed it",
    hint: "wait until the server is back; the store connects again by itself",
  }],
  [/28P01|28000|no password/i, {
    expected: "a user and password that the server accepts",
    received: "that it refuses them",
    hint: "correct them in the URL, percent-encoded, or allow them in pg_hba.conf",
  }],
  [/3D000/, {
    expected: "a database of that name",
    received: "none",
    hint: "make it with createdb, or correct the name in the URL",
  }],
  [/42501/, {
    expected: "the right to make a schema, and to read and write its table",
    received: "no such right",
    hint: "grant CREATE on the database, or make the schema for this user",
  }],
  [/53300/, {
    expected: "a free connection",
    received: "that the server has none left",
    hint: "lower the store's connections, or raise max_connections",
  }],
  [/53100|53200/, {
    expected: "room for another record",
    received: "a full disk, or no memory",
    hint: "make room, nothing has to be restarted",
  }],
  [/57014/, {
    expected: "an answer in time",
    received: "a statement that took too long",
    hint: "look for locks in pg_stat_activity, or raise the store's timeout",
  }],
  [/25006/, {
    expected: "a server that may be written to",
    received: "a standby or a read-only transaction",
    hint: "name the primary in the URL",
  }],
];

/** What was thrown, for a person; a StoreError stays as it is. */
export function postgresError(location: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const { code, message } = cause as { code?: string; message?: string };
  const phrases = phrasesByCode.find(([pattern]) => pattern.test(`${code} ${message}`))?.[1] ?? {
    expected: "a PostgreSQL database in good order",
    received: `${code === undefined ? "a failure" : `the error ${code}`} that the store does not know`,
    hint: "look into the log of the database",
  };
  return new StoreError({ location, ...phrases }, cause);
}

/** Whether the connection leads to a server that may no longer be written to: another one has taken its place. */
export function isReadOnly(cause: unknown): boolean {
  return (cause as { code?: unknown }).code === "25006";
}

/** A name that the driver or the database would interpret differently. */
export function invalidSchemaName(location: string, schema: string): StoreError {
  return new StoreError({
    location,
    expected: "a schema whose name has 1 to 63 bytes and no dot",
    received: JSON.stringify(schema.slice(0, 80)),
    hint: "name another schema",
  });
}

/** A table that a newer program has made. */
export function versionMismatch(location: string, expected: number, received: number): StoreError {
  return new StoreError({
    location,
    expected: `tables of version ${expected} or older`,
    received: `version ${received}`,
    hint: "start the newer Latchkey that made them, or name another schema",
  });
}
