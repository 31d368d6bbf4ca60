/** The sockets of a PostgreSQL store: TLS with certificate verification, or plain; with a pause between reconnects. */

import { readFileSync } from "node:fs";
import { connect as connectSocket, isIP } from "node:net";
import type { NetConnectOpts, Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { StoreError } from "../store_error.ts";

/** The values of `sslmode`, and whether each means TLS. TLS always verifies the certificate. */
const modes: Readonly<Record<string, boolean>> = {
  disable: false,
  require: true,
  "verify-ca": true,
  "verify-full": true,
};

/** A URL without its TLS parameters, and the driver's TLS options. */
export interface PostgresTls {
  readonly url: string;
  /** `false` for no TLS. */
  readonly ssl: false | { readonly rejectUnauthorized: true; readonly ca?: string };
}

/**
 * Reads `sslmode` and `sslrootcert`, the path of a PEM file, which is read once. Each mode but `disable` means
 * `verify-full`: the certificate has to be valid for the host, too.
 *
 * @param url A URL that `URL` can parse: for others the driver would start TLS without verification.
 * @param place The database as messages show it, without the password.
 * @throws {StoreError} If either is unusable.
 */
export function readTls(url: string, place: string): PostgresTls {
  const rest = new URL(url);
  const { searchParams } = rest;
  const path = searchParams.get("sslrootcert") ?? undefined;
  const mode = searchParams.get("sslmode") ?? (path === undefined ? "disable" : "verify-full");
  // The driver's own name, which would override `sslmode`.
  const other = searchParams.get("ssl");
  if (other !== null || !Object.hasOwn(modes, mode)) {
    throw new StoreError({
      place,
      expected: "sslmode=verify-full (require and verify-ca mean the same) or sslmode=disable",
      found: other === null ? `sslmode=${mode}` : `ssl=${other}`,
      mend: "use one of these values; for a private certificate authority add sslrootcert=PATH",
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
      expected: "sslrootcert to be a readable file with PEM certificates",
      found,
      mend: "correct the path, or the permissions of the file",
    }, cause);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw fault(`none at ${JSON.stringify(path)}`, error);
  }
  if (!text.includes("-----BEGIN CERTIFICATE-----")) {
    throw fault(`a file without PEM certificates at ${JSON.stringify(path)}`);
  }
  return text;
}

/** Milliseconds between two sockets of one connection. */
const betweenSockets = 500;

/** The server's address in the driver's options. */
interface Addresses {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path?: string | false;
}

/**
 * Opens the sockets of one connection, with a pause between them: if the server closes a socket before the connection
 * is ready, the driver reconnects at once in a loop.
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

/** The message that requests TLS (PostgreSQL's frontend/backend protocol, `SSLRequest`). */
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
    // Data after this byte was sent in clear before TLS: reject it, as an attacker may have injected it.
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

/** The value of an event; rejects if the connection ends first. */
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
