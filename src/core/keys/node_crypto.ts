/**
 * Node's crypto module, which is quicker than WebCrypto, because it computes without waiting for a thread. RS256 still
 * uses WebCrypto, because its signatures would block the event loop; so does ES256 on Deno, where WebCrypto is quicker.
 */

import { type Cryptography, webCryptography as web } from "./web_crypto.ts";

type NodeCrypto = typeof import("node:crypto");

interface Globals {
  readonly Deno?: unknown;
  readonly process?: { getBuiltinModule?(name: "crypto"): NodeCrypto };
}

const { Deno: deno, process } = globalThis as Globals;

const signedByNode = ["EdDSA", "Ed25519", ...deno === undefined ? ["ES256"] : []];

const hashNames = { "SHA-256": "sha256", "SHA-512": "sha512" } as const;

/** The functions of WebCrypto and quicker ones of Node's crypto module; `undefined` if the runtime does not have it. */
export function nodeCryptography(): Cryptography | undefined {
  if (process?.getBuiltinModule === undefined) return undefined;
  return {
    ...web,

    digest: (hash, text) =>
      hash === "SHAKE256"
        ? node().createHash("shake256", { outputLength: 64 }).update(text).digest()
        : node().hash(hashNames[hash], text, "buffer"),

    sha256: (text) => node().hash("sha256", text, "base64url"),

    randomBytes: inBlocks(web.randomBytes),

    hmac: (secret, text) => node().createHmac("sha256", secret).update(text).digest(),

    // Before Node 25, jose builds a string of every byte.
    encodeBase64url: "toBase64" in Uint8Array.prototype
      ? web.encodeBase64url
      : (data) => Buffer.from(data).toString("base64url"),

    async importSigner(alg, privateJwk) {
      if (!signedByNode.includes(alg)) return await web.importSigner(alg, privateJwk);
      let imported: import("node:crypto").KeyObject | undefined;
      const key = () =>
        imported ??= node().createPrivateKey({ key: privateJwk as import("node:crypto").JsonWebKey, format: "jwk" });
      if (alg !== "ES256") return (bytes) => node().sign(null, bytes, key());
      // With `dsaEncoding`, Node returns r and s itself, but Node 24 takes 34 µs for it instead of 17; Node 20 as long.
      return (bytes) => rawSignature(node().sign("sha256", bytes, key()));
    },
  };
}

let loaded: NodeCrypto | undefined;

/** The module, loaded at its first use: that takes 10 ms, on Bun 20, which the first response need not wait for. */
function node(): NodeCrypto {
  return loaded ??= process!.getBuiltinModule!("crypto");
}

/** Takes random bytes from blocks, because a call for 32 bytes takes as long as one for thousands. */
function inBlocks(randomBytes: Cryptography["randomBytes"]): Cryptography["randomBytes"] {
  const blockBytes = 4096;
  let block = new Uint8Array();
  let used = 0;
  return (count) => {
    if (used + count > block.length) {
      block = randomBytes(Math.max(count, blockBytes));
      used = 0;
    }
    // A copy, because the rest of the block is for other callers.
    return block.slice(used, used += count);
  };
}

/** Converts a P-256 signature from DER (RFC 3279 §2.2.3) to r and s of 32 bytes each (RFC 7518 §3.4). */
function rawSignature(der: Uint8Array): Uint8Array {
  const raw = new Uint8Array(64);
  // After the two bytes of the sequence come the two integers: tag, length, and bytes that may begin with a zero.
  let end = 2;
  for (const rawEnd of [32, 64]) {
    const start = end + 2;
    end = start + der[end + 1]!;
    // Not `subarray` and `set`, which take several times as long on Bun.
    for (let i = 1; i <= 32 && end - i >= start; i++) raw[rawEnd - i] = der[end - i]!;
  }
  return raw;
}
