/**
 * Fetches URLs from untrusted sources, without access to the server's own networks (server-side request forgery, SSRF).
 *
 * The host is resolved once and its addresses are checked; the connection goes to a checked address, so that a later
 * response of the name server cannot change the address (DNS rebinding). TLS verifies the name of the URL. The modules
 * of `node:` are the same on Deno, Bun and Node; only the first fetch loads this file.
 */

import { lookup, Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import process from "node:process";
import { type AddressKind, addressKind } from "./address_kind.ts";
import { sendRequest, toResponse } from "./send_request.ts";
import { unlessAborted } from "../http/unless_aborted.ts";
import { isAddress } from "../http/ip_address.ts";

/** The options of {@link safeFetch}. */
export interface SafeFetchOptions {
  /**
   * Whether a host may have an address of a kind that is not public. If neither kind is allowed, the host also needs
   * https and a public name. Default: never.
   */
  readonly allows?: (hostname: string, kind: "loopback" | "private") => boolean;
  /**
   * Resolves a name to its addresses. Default: by the hosts file and DNS; a name for which `allows` returns true as the
   * system does, with search domains.
   */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
  /** The certificates of authorities to trust, as PEM. Default: those of the runtime. */
  readonly ca?: string;
}

/** The server must not connect to this host. Nothing was sent. */
class BlockedHostError extends TypeError {
  override readonly name = "BlockedHostError";
}

/** Maximum duration of a fetch with its body, in milliseconds. */
const maxDurationMs = 10_000;
/** Maximum size of a response body, in bytes. */
const maxBodyBytes = 1024 * 1024;

/** Names that only a local network resolves: RFC 6761, RFC 6762, RFC 8375, and `.internal` (ICANN). */
const localName = /^[^.]*$|(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

/** The errors of a connection that was not established. The next address is tried after such an error. */
const connectErrors = /^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ETIMEDOUT)$/;

/**
 * Creates a `fetch` for URLs from untrusted sources. It follows no redirect, has limits of time (10 seconds) and size
 * (1 MiB), and rejects with a TypeError that states the reason.
 *
 * @example
 * ```ts ignore
 * const fetchSafely = safeFetch({ allows: (hostname) => hostname === "keys.corp.internal" });
 * const response = await fetchSafely("https://client.example/jwks.json", {});
 * ```
 */
export function safeFetch(options: SafeFetchOptions = {}): (url: string, init: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const limit = AbortSignal.timeout(maxDurationMs);
    const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit;
    const request = new Request(url, { ...init, signal });
    const { method, headers } = request;
    const target = new URL(request.url);
    const addresses = await unlessAborted(checkedAddresses(target, options, signal), signal);
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
    for (const [i, address] of addresses.entries()) {
      try {
        const sent = sendRequest(target, { method, headers, body }, { address, signal, ca: options.ca });
        return toResponse(await unlessAborted(sent, signal), signal, maxBodyBytes);
      } catch (cause) {
        const isLast = i === addresses.length - 1;
        if (isLast || signal.aborted || !connectErrors.test((cause as { code?: string }).code ?? "")) {
          throw signal.aborted
            ? signal.reason
            : new TypeError(`${target.hostname}: ${(cause as Error).message}`, { cause });
        }
      }
    }
    throw new TypeError(`${target.hostname} has no address`);
  };
}

/** The addresses of a host, IPv4 first. If one address is not allowed, the host is rejected. */
async function checkedAddresses(
  { protocol, hostname: urlHost }: URL,
  { allows = () => false, resolve }: SafeFetchOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  // The URL parser has converted decimal, octal and hexadecimal IPv4 addresses. A final dot makes a name absolute.
  const hostname = urlHost.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const isLocal = allows(urlHost, "loopback") || allows(urlHost, "private");
  if (protocol !== "https:" && !(protocol === "http:" && isLocal)) {
    throw new BlockedHostError(`expected an https URL; received ${protocol}//${urlHost}`);
  }
  const isLiteral = isAddress(hostname);
  if (!isLiteral && !isLocal && localName.test(hostname)) {
    throw new BlockedHostError(
      `expected a host with a public address; received ${hostname}, a name of a local network`,
    );
  }
  const addresses = isLiteral ? [hostname] : await (resolve?.(hostname) ?? resolveName(hostname, isLocal, signal));
  for (const address of addresses) {
    const kind: AddressKind = addressKind(address);
    if (kind === "public" || (kind !== "reserved" && allows(urlHost, kind))) continue;
    throw new BlockedHostError(
      `expected a host with a public address; received ${hostname}${
        isLiteral ? "" : `, which is ${address}`
      } (${kind})`,
    );
  }
  return [...addresses].sort((a, b) => Number(a.includes(":")) - Number(b.includes(":")));
}

/** Timeout of the first query to a name server, in milliseconds, and the number of queries; the second waits longer. */
const queryOptions = { timeout: 1000, tries: 2 };

/** The errors of queries that got no response. */
const noResponse: readonly unknown[] = ["ETIMEOUT", "ECANCELLED"];

/**
 * Resolves a name. A lookup of the system blocks a thread until the name servers respond, for ten seconds if they are
 * silent, and Bun signs and hashes on the same threads. Any client chooses names whose servers are silent, so queries
 * that block no thread come first; a lookup follows only for names of the hosts file, and for local names that the name
 * servers know or deny.
 */
async function resolveName(hostname: string, isLocal: boolean, signal: AbortSignal): Promise<readonly string[]> {
  try {
    if (hostname === "localhost" || await isInHostsFile(hostname)) return await lookupAddresses(hostname);
    const results = await queryNameServers(hostname, signal);
    const failures = results.flatMap((result) => result.status === "rejected" ? [result.reason] : []);
    // Only the system knows search domains and the name servers of single domains.
    if (isLocal && !failures.some(({ code }) => noResponse.includes(code))) return await lookupAddresses(hostname);
    if (failures.length === results.length) throw failures[0];
    return results.flatMap((result) => result.status === "fulfilled" ? result.value : []);
  } catch (cause) {
    throw new TypeError(`${hostname} cannot be resolved`, { cause });
  }
}

async function lookupAddresses(hostname: string): Promise<readonly string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

/** Queries the IPv4 and the IPv6 addresses of a name; with a final dot, or Deno would add search domains. */
async function queryNameServers(hostname: string, signal: AbortSignal): Promise<PromiseSettledResult<string[]>[]> {
  signal.throwIfAborted();
  const resolver = new Resolver(queryOptions);
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    return await Promise.allSettled([resolver.resolve4(`${hostname}.`), resolver.resolve6(`${hostname}.`)]);
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

/** Whether the hosts file of the system has a name. Without permission to read it, Deno would ask the user. */
async function isInHostsFile(hostname: string): Promise<boolean> {
  const path = process.platform === "win32" ? `${process.env.SystemRoot}\\System32\\drivers\\etc\\hosts` : "/etc/hosts";
  if ("Deno" in globalThis && Deno.permissions.querySync({ name: "read", path }).state !== "granted") return false;
  const text = await readFile(path, "utf8").catch(() => "");
  return text.split("\n").some((line) =>
    line.replace(/#.*/, "").trim().toLowerCase().split(/\s+/).slice(1).includes(hostname)
  );
}
