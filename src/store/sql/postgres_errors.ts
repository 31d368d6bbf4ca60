/** Why a PostgreSQL store cannot be opened or used: the driver's and the database's words turned into whole sentences. */

import { StoreError, type StoreFault } from "../store_error.ts";

type Phrases = Omit<StoreFault, "place">;

/** By error code: of the system, of the driver, or of PostgreSQL (its Appendix A). */
const known: readonly (readonly [RegExp, Phrases])[] = [
  [
    /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ECONNRESET|EPIPE|ETIMEDOUT|ENETUNREACH|CONNECT_TIMEOUT|ENOENT|ConnectionRefused/,
    {
      expected: "a PostgreSQL server that can be reached there",
      found: "none that answers",
      mend: "start it, or correct host and port; once open, the store connects again by itself",
    },
  ],
  [/SELF_SIGNED|UNABLE_TO_|CERT_|ALTNAME|UnknownIssuer|NotValidForName|invalid peer certificate/, {
    expected: "a certificate for that host, issued by a trusted certificate authority",
    found: "a certificate that fails verification; nothing was sent",
    mend: "add sslrootcert=PATH, the certificate of your authority, to the URL, or correct the host",
  }],
  [/NO_TLS/, {
    expected: "a server that supports TLS",
    found: "a server that does not",
    mend: "set ssl = on in postgresql.conf, or, for a server on this machine only, remove sslmode",
  }],
  [/CONNECTION_CLOSED|CONNECTION_ENDED|CONNECTION_DESTROYED|57P0[123]/, {
    expected: "a connection that lasts",
    found: "that the server closed it",
    mend: "wait until the server is back; the store connects again by itself",
  }],
  [/28P01|28000|no password/i, {
    expected: "a user and password that the server accepts",
    found: "that it refuses them",
    mend: "correct them in the URL, percent-encoded, or allow them in pg_hba.conf",
  }],
  [/3D000/, {
    expected: "a database of that name",
    found: "none",
    mend: "make it with createdb, or correct the name in the URL",
  }],
  [/42501/, {
    expected: "the right to make a schema, and to read and write its table",
    found: "no such right",
    mend: "grant CREATE on the database, or make the schema for this user",
  }],
  [/53300/, {
    expected: "a free connection",
    found: "that the server has none left",
    mend: "lower the store's connections, or raise max_connections",
  }],
  [/53100|53200/, {
    expected: "room for another record",
    found: "a full disk, or no memory",
    mend: "make room, nothing has to be restarted",
  }],
  [/57014/, {
    expected: "an answer in time",
    found: "a statement that took too long",
    mend: "look for locks in pg_stat_activity, or raise the store's timeout",
  }],
  [/25006/, {
    expected: "a server that may be written to",
    found: "a standby or a read-only transaction",
    mend: "name the primary in the URL",
  }],
];

/** What was thrown, for a person; a StoreError stays as it is. */
export function postgresError(place: string, thrown: unknown): StoreError {
  if (thrown instanceof StoreError) return thrown;
  const { code, message } = thrown as { code?: string; message?: string };
  const phrases = known.find(([sign]) => sign.test(`${code} ${message}`))?.[1] ?? {
    expected: "a PostgreSQL database in good order",
    found: `${code === undefined ? "a failure" : `the error ${code}`} that the store does not know`,
    mend: "look into the log of the database",
  };
  return new StoreError({ place, ...phrases }, thrown);
}

/** Whether the connection leads to a server that may no longer be written to: another one has taken its place. */
export function isReadOnly(thrown: unknown): boolean {
  return (thrown as { code?: unknown }).code === "25006";
}

/** A name that the driver or the database would interpret differently. */
export function unfitSchema(place: string, schema: string): StoreError {
  return new StoreError({
    place,
    expected: "a schema whose name has 1 to 63 bytes and no dot",
    found: JSON.stringify(schema.slice(0, 80)),
    mend: "name another schema",
  });
}

/** A table that a newer program has made. */
export function otherSchema(place: string, expected: number, found: number): StoreError {
  return new StoreError({
    place,
    expected: `tables of version ${expected} or older`,
    found: `version ${found}`,
    mend: "start the newer Latchkey that made them, or name another schema",
  });
}
