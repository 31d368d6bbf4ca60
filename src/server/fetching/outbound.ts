/** Requests to other servers: documents that clients and settings refer to (keys, metadata), and calls of clients. */

import { type Allowances, isLocalHost, leadsToLoopback } from "../../core/http/test_hosts.ts";

/** @internal Sends a request to another server, as `fetch` does. */
export type Outbound = (url: string, init: RequestInit) => Promise<Response>;

export interface DocumentLimits {
  /** The accepted media types, as the `Accept` header lists them. */
  readonly accept: string;
  /** Maximum size, in bytes. */
  readonly maxBytes: number;
  /** Maximum duration of the fetch, in milliseconds. */
  readonly timeoutMs: number;
}

/** A document that could not be fetched. The message is one sentence. */
export class DocumentError extends Error {
  /** The expected response. */
  readonly expected: string;
  /** The received response, or the error of the connection. */
  readonly received: string;
  /** Whether the host was not contacted, because the server must not fetch from it. */
  readonly isBlocked: boolean;
  readonly fix: string;

  /** Creates an error from what was expected and received. */
  constructor(expected: string, received: string, cause?: unknown) {
    super(`expected ${expected}, received ${received}`, { cause });
    this.name = "DocumentError";
    this.expected = expected;
    this.received = received;
    this.isBlocked = cause instanceof Error && cause.name === "BlockedHostError";
    this.fix = this.isBlocked
      ? "Use a host with a public address, or add the host to the setting privateHosts."
      : "Make the server of this URL respond as expected." +
        // Only an attempt that failed, without a response, has a cause.
        (cause === undefined ? "" : " For a private CA, restart with NODE_EXTRA_CA_CERTS set to its certificate file.");
  }
}

/**
 * Fetches a document: any status but 200 is an error, and no redirect is followed (SSRF).
 *
 * @throws {DocumentError} If it cannot be fetched, or is too large.
 */
export async function fetchDocument(
  outbound: Outbound,
  url: string,
  { accept, maxBytes, timeoutMs }: DocumentLimits,
): Promise<{ readonly text: string; readonly headers: Headers }> {
  const expected = `status 200 from ${url}`;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await outbound(url, { headers: { accept }, redirect: "manual", signal });
    if (response.status !== 200) {
      response.body?.cancel().catch(() => {});
      throw new DocumentError(expected, `status ${response.status}`);
    }
    return { text: await readLimited(response, maxBytes), headers: response.headers };
  } catch (cause) {
    if (cause instanceof DocumentError) throw cause;
    throw new DocumentError(expected, `no response (${cause instanceof Error ? cause.message : cause})`, cause);
  }
}

/**
 * Parses a fetched document.
 *
 * @throws {DocumentError} Without the message of the parser, which quotes the text (SSRF).
 */
export function parseJsonDocument(text: string, url: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new DocumentError(`a JSON document from ${url}`, "text that is not JSON");
  }
}

/**
 * Reads the text of a response.
 *
 * @throws {DocumentError} If it has more than `maxBytes` bytes; the rest is not read.
 */
export async function readLimited({ body }: Response, maxBytes: number): Promise<string> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = "";
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.byteLength;
    if (size > maxBytes) {
      reader.cancel().catch(() => {});
      throw new DocumentError(`a document of at most ${maxBytes} bytes`, "a larger document");
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}

/** What decides about hosts without a public address. */
export interface FetchPolicy {
  readonly issuer: string;
  readonly privateHosts: readonly string[];
  readonly allows: Pick<Allowances, "localUrls">;
}

/**
 * Whether the server may fetch from a host although its address is not public: hosts of the setting `privateHosts`,
 * and, for a server on a test host, all test hosts and its own. Only a server on a loopback host may fetch from
 * loopback addresses.
 *
 * @param hostname As `URL.hostname` spells it.
 */
export function allowsLocalFetch(
  { issuer, privateHosts, allows }: FetchPolicy,
  hostname: string,
  kind: "loopback" | "private",
): boolean {
  if (privateHosts.includes(hostname)) return true;
  return isLocalHost(hostname, allows.localUrls) && (kind === "private" || leadsToLoopback(new URL(issuer).hostname));
}

/**
 * Creates the fetch; the first call loads its modules. `server` returns what decides about hosts without a public
 * address.
 */
export function defaultOutbound(
  server: () => FetchPolicy,
): Outbound {
  return async (url, init) => {
    const { safeFetch } = await import("../../platform/runtime/safe_fetch.ts");
    return await safeFetch({ allows: (host, kind) => allowsLocalFetch(server(), host, kind) })(url, init);
  };
}
