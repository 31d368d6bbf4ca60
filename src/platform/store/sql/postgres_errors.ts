/** Converts errors of PostgreSQL and its driver to a `StoreError` with expected, received and a fix. */

import { StoreError, type StoreErrorPhrases } from "../../../core/store/store.ts";

/** Messages by error code: of the system, of the driver, or of PostgreSQL (its Appendix A). */
const phrasesByCode: readonly (readonly [RegExp, StoreErrorPhrases])[] = [
  [
    /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ECONNRESET|EPIPE|ETIMEDOUT|ENETUNREACH|CONNECT_TIMEOUT|ENOENT|ConnectionRefused/,
    {
      expected: "a reachable PostgreSQL server",
      received: "no response",
      hint: "start it, or correct host and port; an open store reconnects by itself",
    },
  ],
  [/SELF_SIGNED|UNABLE_TO_|CERT_|ALTNAME|UnknownIssuer|NotValidForName|invalid peer certificate/, {
    expected: "a certificate for that host, issued by a trusted certificate authority",
    received: "a certificate that fails verification; nothing was sent",
    hint: "add sslrootcert=PATH, the certificate of your authority, to the URL, or correct the host",
  }],
  [/NO_TLS/, {
    expected: "a server that supports TLS",
    received: "a server without TLS",
    hint: "set ssl = on in postgresql.conf, or, for a server on this machine only, remove sslmode",
  }],
  [/CONNECTION_CLOSED|CONNECTION_ENDED|CONNECTION_DESTROYED|57P0[123]/, {
    expected: "an open connection",
    received: "a connection that the server closed",
    hint: "wait until the server is back; the store reconnects by itself",
  }],
  [/28P01|28000|no password/i, {
    expected: "a user and password that the server accepts",
    received: "rejected credentials",
    hint: "correct them in the URL, percent-encoded, or allow them in pg_hba.conf",
  }],
  [/3D000/, {
    expected: "a database of that name",
    received: "none",
    hint: "create it with createdb, or correct the name in the URL",
  }],
  [/42501/, {
    expected: "the privileges to create a schema, and to read and write its table",
    received: "missing privileges",
    hint: "grant CREATE on the database, or create the schema for this user",
  }],
  [/53300/, {
    expected: "a free connection",
    received: "a server without free connections",
    hint: "lower the store's connections, or raise max_connections",
  }],
  [/53100|53200/, {
    expected: "free disk space and memory",
    received: "a full disk, or no memory",
    hint: "free disk space or memory; no restart is needed",
  }],
  [/57014/, {
    expected: "a response in time",
    received: "a statement that took too long",
    hint: "look for locks in pg_stat_activity, or raise the store's timeout",
  }],
  [/25006/, {
    expected: "a writable server",
    received: "a standby or a read-only transaction",
    hint: "use the URL of the primary",
  }],
];

/** Converts an error to a StoreError; returns a StoreError unchanged. */
export function postgresError(location: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const { code, message } = cause as { code?: string; message?: string };
  const phrases = phrasesByCode.find(([pattern]) => pattern.test(`${code} ${message}`))?.[1] ?? {
    expected: "a working PostgreSQL database",
    received: code === undefined ? "an unknown error" : `the unknown error ${code}`,
    hint: "see the log of the database",
  };
  return new StoreError({ location, ...phrases }, cause);
}

/** Whether the server is read-only, because it has become a standby. */
export function isReadOnly(cause: unknown): boolean {
  return (cause as { code?: unknown }).code === "25006";
}

/** The error of a schema name that the driver or the database would change. */
export function invalidSchemaName(location: string, schema: string): StoreError {
  return new StoreError({
    location,
    expected: "a schema whose name has 1 to 63 bytes and no dot",
    received: JSON.stringify(schema.slice(0, 80)),
    hint: "choose another schema",
  });
}

/** The error of a schema that a newer release has migrated. */
export function versionMismatch(location: string, expected: number, received: number): StoreError {
  return new StoreError({
    location,
    expected: `tables of version ${expected} or older`,
    received: `version ${received}`,
    hint: "run the newer release of Latchkey that created them, or choose another schema",
  });
}
