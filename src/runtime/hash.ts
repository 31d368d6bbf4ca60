/** SHA-256 and HMAC-SHA-256 of short texts, by the quickest means the runtime has without anything being imported. */

/** As much of Node's crypto module as is used here. */
interface Hashing {
  createHash(name: "sha256"): { update(text: string): { digest(): Uint8Array } };
  createHmac(name: "sha256", key: string): { update(text: string): { digest(): Uint8Array } };
}

interface Globals {
  readonly Deno?: unknown;
  readonly process?: { getBuiltinModule?(name: "crypto"): Hashing | undefined };
}

/**
 * Node's and Bun's own: a digest there takes one or two microseconds, while asking WebCrypto for one takes ten times as
 * long. Deno would load its whole Node layer for it, and other runtimes have none.
 */
const { Deno: deno, process: host } = globalThis as Globals;
const builtin = deno === undefined ? host?.getBuiltinModule?.("crypto") : undefined;

const encoder = new TextEncoder();

/** The SHA-256 digest of a text's UTF-8 bytes: 32 bytes. */
export function sha256(text: string): Uint8Array | Promise<Uint8Array> {
  if (builtin !== undefined) return builtin.createHash("sha256").update(text).digest();
  return crypto.subtle.digest("SHA-256", encoder.encode(text)).then((bytes) => new Uint8Array(bytes));
}

/** Makes an HMAC-SHA-256 (RFC 2104) of texts, under a secret that is kept ready. */
export async function hmacSha256(secret: string): Promise<(text: string) => Uint8Array | Promise<Uint8Array>> {
  if (builtin !== undefined) return (text) => builtin.createHmac("sha256", secret).update(text).digest();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  return async (text) => new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text)));
}
