/** The sockets of a PostgreSQL store: in TLS with a certificate that is verified, or in none; and not one after the other. */

import { readFileSync } from "node:fs";
import { connect as connectSocket, isIP } from "node:net";
import type { NetConnectOpts, Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { StoreError } from "./store_error.ts";

/** What `sslmode` may be, and whether that is TLS. Nobody is spoken to in TLS whose certificate is not verified. */
const modes: Readonly<Record<string, boolean>> = {
  disable: false,
  require: true,
  "verify-ca": true,
  "verify-full": true,
};

/** A URL without what it says of TLS, and what that means for the driver. */
export interface PostgresTls {
  readonly url: string;
  /** `false`: plain. */
  readonly ssl: false | { readonly rejectUnauthorized: true; readonly ca?: string };
}

/**
 * Reads `sslmode` and `sslrootcert`, the path of a PEM file, which is read once. Each mode but `disable` means
 * `verify-full`: the certificate has to be valid for the host, too.
 *
 * @param url Must be one that `URL` parses: the driver also takes others, and would begin an unverified TLS for them.
 * @param place The database as a person may be told of it.
 * @throws {StoreError} Where either cannot be used.
 */
export function readTls(url: string, place: string): PostgresTls {
  const rest = new URL(url);
  const { searchParams } = rest;
  const path = searchParams.get("sslrootcert") ?? undefined;
  const mode = searchParams.get("sslmode") ?? (path === undefined ? "disable" : "verify-full");
  // What the driver calls it, and would heed in place of `sslmode`.
  const other = searchParams.get("ssl");
  if (other !== null || !Object.hasOwn(modes, mode)) {
    throw new StoreError({
      place,
      expected: "sslmode=verify-full, which require and verify-ca mean too, or sslmode=disable",
      found: other === null ? `sslmode=${mode}` : `ssl=${other}`,
      mend: "a certificate is verified or TLS is not used: name an authority of your own with sslrootcert=PATH",
    });
  }
  if (!modes[mode] && path !== undefined) {
    throw new StoreError({
      place,
      expected: "sslrootcert with sslmode=verify-full",
      found: `sslmode=${mode}`,
      mend: "remove one of the two",
    });
  }
  searchParams.delete("sslmode");
  searchParams.delete("sslrootcert");
  if (!modes[mode]) return { url: rest.href, ssl: false };
  const ca = path === undefined || path === "system" ? {} : { ca: readAuthority(path, place) };
  return { url: rest.href, ssl: { rejectUnauthorized: true, ...ca } };
}

function readAuthority(path: string, place: string): string {
  const fault = (found: string, cause?: unknown) =>
    new StoreError({
      place,
      expected: "sslrootcert to be a file with certificates in PEM that can be read",
      found,
      mend: "correct its path, or what this program may read",
    }, cause);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw fault(`none at ${JSON.stringify(path)}`, error);
  }
  if (!text.includes("-----BEGIN CERTIFICATE-----")) throw fault(`another file at ${JSON.stringify(path)}`);
  return text;
}

/** Milliseconds between the sockets of one line. */
const betweenSockets = 500;

/** Where the driver's options say that the server is. */
interface Addresses {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path?: string | false;
}

/**
 * Opens the sockets of one line. Where the server hangs up before a connection is ready, the driver asks for the next one
 * at once, and so on; it gets it only after a pause.
 */
export function dialler(ssl: PostgresTls["ssl"], timeout: number): (options: Addresses) => Promise<Socket> {
  let isFirst = true;
  return async ({ host, port, path }) => {
    if (!isFirst) await new Promise((resolve) => setTimeout(resolve, betweenSockets));
    isFirst = false;
    let failure: unknown;
    for (const [i, name] of host.entries()) {
      try {
        return await dial(path ? { path } : { host: name, port: port[i]! }, name, ssl, timeout);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
}

/** Asks for TLS, and says that this is all (PostgreSQL's frontend/backend protocol, `SSLRequest`). */
const tlsRequest = new Uint8Array([0, 0, 0, 8, 4, 210, 22, 47]);

async function dial(
  address: NetConnectOpts,
  host: string,
  ssl: PostgresTls["ssl"],
  timeout: number,
): Promise<Socket> {
  const socket = connectSocket(address);
  const late = setTimeout(
    () => void socket.destroy(Object.assign(new Error("no connection in time"), { code: "ETIMEDOUT" })),
    timeout,
  );
  try {
    await happens(socket, "connect");
    if (ssl === false) return socket;
    socket.write(tlsRequest);
    const answer = await happens(socket, "data") as Uint8Array;
    // More than this letter would be a message that came before TLS did.
    if (answer.length !== 1 || answer[0] !== 0x53) throw Object.assign(new Error("no TLS"), { code: "NO_TLS" });
    const secured = connectTls({ socket, host, servername: isIP(host) ? undefined : host, ...ssl });
    await happens(secured, "secureConnect");
    return secured;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(late);
  }
}

/** What comes with an event, unless the connection ends before. */
function happens(socket: Socket, event: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = () => failed(Object.assign(new Error("closed"), { code: "CONNECTION_CLOSED" }));
    const happened = (value: unknown) => {
      socket.off("error", failed).off("close", ended);
      resolve(value);
    };
    const failed = (error: Error) => {
      socket.off(event, happened).off("close", ended);
      reject(error);
    };
    socket.once(event, happened).once("error", failed).once("close", ended);
  });
}
