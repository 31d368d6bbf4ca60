/** What the clients of this folder need to send requests: random values, digests, and JSON. */

import type { Fetch } from "../../../src/testing/fetch.ts";

export type Members = Readonly<Record<string, unknown>>;

export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

export function randomText(): string {
  return toBase64url(crypto.getRandomValues(new Uint8Array(32)));
}

export function toBase64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export async function digest(name: string, text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest(name, new TextEncoder().encode(text)));
}

/** Reads a body of at most a megabyte. */
async function readText({ body }: Response): Promise<string> {
  let text = "";
  let size = 0;
  const decoder = new TextDecoder();
  for await (const part of body ?? []) {
    size += part.length;
    assert(size <= 1_000_000, "the response is too large");
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}

/** Whether an access token can be sent (RFC 6749 appendix A.12). */
export const isAccessToken = (token: unknown): token is string => typeof token === "string" && /^[!-~]+$/.test(token);

/** Requests a JSON object. It follows no redirects. @throws {Error} If the response is something else, or an error. */
export async function requestJson(
  { fetch }: { readonly fetch: Fetch },
  url: string,
  init: RequestInit = {},
): Promise<Members> {
  const signal = AbortSignal.timeout(30_000);
  const response = await fetch(url, { redirect: "manual", signal, ...init } as RequestInit);
  assert(response.status < 300 || response.status >= 400, `${new URL(url).pathname} redirects`);
  const value: unknown = JSON.parse(await readText(response));
  assert(typeof value === "object" && value !== null && !Array.isArray(value), "expected a JSON object");
  const { error, error_description } = value as Members;
  if (!response.ok) {
    const message = `status ${response.status}: ${error} ${error_description ?? ""}`;
    throw Object.assign(new Error(message), { code: error, status: response.status });
  }
  return value as Members;
}

/** Whether a URL is one that a client may send credentials to. */
export function isSecure(url: unknown, issuer: string): boolean {
  if (typeof url !== "string" || !URL.canParse(url)) return false;
  const isLocal = issuer.startsWith("http://localhost");
  return url.startsWith("https://") && !isInternal(url) || isLocal && url.startsWith("http://localhost");
}

function isInternal(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(?:localhost|.*\.localhost|(?:0|127|10|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01]))\..*|\[.*\])$/.test(
    hostname,
  );
}
