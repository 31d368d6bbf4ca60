/** A name server on a loopback address. */

import { spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { isIPv4 } from "node:net";
import process from "node:process";
import { file } from "./program_requests.ts";

/** A running name server. */
export interface NameServer {
  /** A file that names it and a search domain, in the place of `/etc/resolv.conf`; `FILE.hosts` has the hosts. */
  readonly resolvConf: string;
  /** The names that it was asked for. */
  readonly asked: ReadonlySet<string>;
  /** Responds to what it was silent about. */
  release(): void;
  close(): Promise<void>;
}

/** The numbers of record types and response codes (RFC 1035 §3.2.2, §4.1.1). */
const [typeA, nameError] = [1, 3];

/**
 * Whether a program can have another `/etc/resolv.conf`: on Linux, as root. Where it cannot, the tests are skipped,
 * except in CI.
 */
export const skipWithoutNamespace: string | false =
  process.env.CI === "true" || spawnSync("unshare", ["-m", "mount", "--bind", "/etc/hosts", "/etc/hosts"]).status === 0
    ? false
    : "*** SKIPPED *** needs root on Linux, for a mount namespace";

/**
 * Starts a name server. It responds to A queries for `addresses`, waits with the response for names that `isSilent`
 * selects, and knows no other name. The system asks it for two and a half minutes.
 *
 * @param hosts Lines of the hosts file. Default: `localhost` alone.
 */
export async function nameServer(
  isSilent: (name: string) => boolean,
  addresses: Readonly<Record<string, string>> = {},
  hosts = "",
): Promise<NameServer> {
  // The port is always 53. An address of its own, because tests run in parallel.
  const [high, low] = crypto.getRandomValues(new Uint8Array(2));
  const address = `127.53.${high}.${low}`;
  const asked = new Set<string>();
  const held: (() => void)[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address: client }) => {
    const labels: string[] = [];
    let end = 12;
    for (let length = query[end]!; length > 0; length = query[end]!) {
      labels.push(query.subarray(end + 1, end + 1 + length).toString());
      end += 1 + length;
    }
    const name = labels.join(".").toLowerCase();
    asked.add(name);
    const question = query.subarray(12, end + 5);
    const found = Object.hasOwn(addresses, name) && query.readUInt16BE(end + 1) === typeA ? addresses[name] : undefined;
    const record = found !== undefined && isIPv4(found)
      ? [0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 60, 0, 4, ...found.split(".").map(Number)]
      : [];
    const code = Object.hasOwn(addresses, name) ? 0 : nameError;
    const head = [query[0]!, query[1]!, 0x81, 0x80 | code, 0, 1, 0, record.length === 0 ? 0 : 1, 0, 0, 0, 0];
    const respond = () => socket.send(new Uint8Array([...head, ...question, ...record]), port, client);
    if (isSilent(name)) held.push(respond);
    else respond();
  });
  await new Promise<void>((resolve, reject) => {
    socket.on("error", reject);
    socket.bind(53, address, resolve);
  });
  const name = `resolv-${high}-${low}.conf`;
  file(`${name}.hosts`, `127.0.0.1 localhost\n${hosts}`);
  return {
    resolvConf: file(name, `nameserver ${address}\nsearch corp.example\noptions ndots:5 timeout:30 attempts:5\n`),
    asked,
    release() {
      isSilent = () => false;
      for (const respond of held) respond();
    },
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
