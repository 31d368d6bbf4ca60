/** The sockets of a PostgreSQL store: TLS with certificate verification, or plain; with a pause between reconnects. */

import { readFileSync } from "node:fs";
import { connect as connectSocket, isIP, type NetConnectOpts, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { StoreError } from "../../../core/store/store.ts";
import { sleep, timers } from "../../../core/http/timers.ts";

/** The values of `sslmode`, and whether each means TLS. TLS always verifies the certificate. */
const tlsByMode: Readonly<Record<string, boolean>> = {
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
 * Reads `sslmode` and `sslrootcert`, the path of a PEM file, which is read once. Each mode except `disable` means
 * `verify-full`: the certificate must also be valid for the host.
 *
 * @param url A URL that `URL` can parse. For any other URL, the driver would start TLS without verification.
 * @param location The database as messages show it, without the password.
 * @throws {StoreError} If either is unusable.
 */
export function readTls(url: string, location: string): PostgresTls {
  const cleanUrl = new URL(url);
  const { searchParams } = cleanUrl;
  const certificatePath = searchParams.get("sslrootcert") ?? undefined;
  const mode = searchParams.get("sslmode") ?? (certificatePath === undefined ? "disable" : "verify-full");
  // The driver's own name of this parameter, which would override `sslmode`.
  const driverOption = searchParams.get("ssl");
  if (driverOption !== null || !Object.hasOwn(tlsByMode, mode)) {
    throw new StoreError({
      location,
      expected: "sslmode=verify-full (require and verify-ca mean the same) or sslmode=disable",
      received: driverOption === null ? `sslmode=${mode}` : `ssl=${driverOption}`,
      hint: "use one of these values; for a private certificate authority add sslrootcert=PATH",
    });
  }
  if (!tlsByMode[mode] && certificatePath !== undefined) {
    throw new StoreError({
      location,
      expected: "sslrootcert with sslmode=verify-full",
      received: `sslmode=${mode}`,
      hint: "remove one of the two",
    });
  }
  searchParams.delete("sslmode");
  searchParams.delete("sslrootcert");
  if (!tlsByMode[mode]) return { url: cleanUrl.href, ssl: false };
  const ca = certificatePath === undefined || certificatePath === "system"
    ? {}
    : { ca: readCertificateAuthority(certificatePath, location) };
  return { url: cleanUrl.href, ssl: { rejectUnauthorized: true, ...ca } };
}

function readCertificateAuthority(path: string, location: string): string {
  const createError = (received: string, cause?: unknown) =>
    new StoreError({
      location,
      expected: "sslrootcert to be a readable file with PEM certificates",
      received,
      hint: "correct the path, or the permissions of the file",
    }, cause);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw createError(`none at ${JSON.stringify(path)}`, error);
  }
  if (!text.includes("-----BEGIN CERTIFICATE-----")) {
    throw createError(`a file without PEM certificates at ${JSON.stringify(path)}`);
  }
  return text;
}

/** Milliseconds between two sockets of one connection. */
const reconnectDelayMs = 500;

/** The server's address in the driver's options. */
interface DriverAddresses {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path?: string | false;
}

/**
 * Opens the sockets of one connection, with a pause between them: if the server closes a socket before the connection
 * is ready, the driver reconnects in a loop without delay.
 */
export function socketFactory(
  ssl: PostgresTls["ssl"],
  timeoutMs: number,
): (options: DriverAddresses) => Promise<Socket> {
  let isFirst = true;
  return async ({ host, port, path }) => {
    if (!isFirst) await sleep(reconnectDelayMs);
    isFirst = false;
    let failure: unknown;
    for (const [i, name] of host.entries()) {
      try {
        return await openSocket(path ? { path } : { host: name, port: port[i]! }, name, ssl, timeoutMs);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
}

/** The message that requests TLS (PostgreSQL's frontend/backend protocol, `SSLRequest`). */
const tlsRequest = new Uint8Array([0, 0, 0, 8, 4, 210, 22, 47]);

async function openSocket(
  address: NetConnectOpts,
  host: string,
  ssl: PostgresTls["ssl"],
  timeoutMs: number,
): Promise<Socket> {
  const socket = connectSocket(address);
  const timer = timers.setTimeout(
    () => void socket.destroy(Object.assign(new Error("no connection in time"), { code: "ETIMEDOUT" })),
    timeoutMs,
  );
  try {
    await waitForEvent(socket, "connect");
    if (ssl === false) return socket;
    socket.write(tlsRequest);
    const reply = await waitForEvent(socket, "data") as Uint8Array;
    // Data after this byte was sent unencrypted before TLS. It is rejected, because an attacker may have injected it.
    if (reply.length !== 1 || reply[0] !== 0x53) throw Object.assign(new Error("no TLS"), { code: "NO_TLS" });
    const secured = connectTls({ socket, host, servername: isIP(host) ? undefined : host, ...ssl });
    await waitForEvent(secured, "secureConnect");
    return secured;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    timers.clearTimeout(timer);
  }
}

/** The value of an event; rejects if the connection ends first. */
function waitForEvent(socket: Socket, event: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onClose = () => onError(Object.assign(new Error("closed"), { code: "CONNECTION_CLOSED" }));
    const onEvent = (value: unknown) => {
      socket.off("error", onError).off("close", onClose);
      resolve(value);
    };
    const onError = (error: Error) => {
      socket.off(event, onEvent).off("close", onClose);
      reject(error);
    };
    socket.once(event, onEvent).once("error", onError).once("close", onClose);
  });
}
