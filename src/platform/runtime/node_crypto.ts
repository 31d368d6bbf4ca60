/**
 * Node's crypto module, where it is quicker than WebCrypto, because it computes without waiting for a thread: on Node
 * and Bun for all but RS256, which would block the event loop. Deno takes 15 ms to load the module, and less time for
 * WebCrypto.
 */

import { type Cryptography, cryptography } from "../../core/crypto.ts";

interface Globals {
  readonly Deno?: unknown;
  readonly process?: { getBuiltinModule?(name: "crypto"): typeof import("node:crypto") | undefined };
}

const { Deno: deno, process } = globalThis as Globals;

/** Replaces the functions of {@link cryptography} in this process. */
export function useNodeCrypto(): void {
  const node = deno === undefined ? process?.getBuiltinModule?.("crypto") : undefined;
  if (node !== undefined) Object.assign(cryptography, nodeCryptography(node));
}

/** The functions of WebCrypto. */
const web: Cryptography = { ...cryptography };

const hashNames = { "SHA-256": "sha256", "SHA-512": "sha512" } as const;

function nodeCryptography(node: typeof import("node:crypto")): Cryptography {
  return {
    digest: (hash, text) =>
      hash === "SHAKE256"
        ? node.createHash("shake256", { outputLength: 64 }).update(text).digest()
        : node.hash(hashNames[hash], text, "buffer"),

    hmac: (secret, text) => node.createHmac("sha256", secret).update(text).digest(),

    async importSigner(alg, privateJwk) {
      if (!["ES256", "EdDSA", "Ed25519"].includes(alg)) return await web.importSigner(alg, privateJwk);
      const key = node.createPrivateKey({ key: privateJwk as import("node:crypto").JsonWebKey, format: "jwk" });
      const hash = alg === "ES256" ? "sha256" : null;
      return (bytes) => node.sign(hash, bytes, { key, dsaEncoding: "ieee-p1363" });
    },
  };
}

/** The SHA-256 digest of a text as base64url, without waiting; `undefined` if the runtime has no such function. */
export function sha256Sync(text: string): string | undefined {
  return process?.getBuiltinModule?.("crypto")?.hash("sha256", text, "base64url");
}
