/**
 * Digests, MACs, signatures and base64url: by Node's crypto module if it is loaded, otherwise by WebCrypto. This file
 * imports no Node module, so that a worker without them runs it too. Figures: Deno 2.9.6, Node 24.21, one operation at
 * a time.
 */

/** The part of `node:crypto` that is used. */
interface NodeCrypto {
  hash(name: "sha256" | "sha512", data: string | Uint8Array, encoding: "buffer"): Uint8Array;
  hash(name: "sha256" | "sha512", data: string | Uint8Array, encoding: "base64url"): string;
  createHash(name: "shake256", options: { readonly outputLength: number }): {
    update(text: string): { digest(): Uint8Array };
  };
  createPrivateKey(key: { readonly key: JsonWebKey; readonly format: "jwk" }): object;
  sign(hash: "sha256" | null, bytes: Uint8Array, key: object): Uint8Array;
}

const globals = globalThis as {
  readonly Bun?: unknown;
  readonly Deno?: unknown;
  readonly Buffer?: BufferConstructor;
  readonly process?: { getBuiltinModule?(name: "crypto"): NodeCrypto | undefined };
  readonly SubtleCrypto?: { supports?(operation: "verify", algorithm: string): boolean };
};

const isDeno = globals.Deno !== undefined;

/**
 * Number of WebCrypto calls before Deno and Bun load Node's module. On Deno, loading takes 15 ms and a start 58 ms. A
 * flow takes 125 µs of CPU with WebCrypto and 102 µs with the module. A test that logs in once never loads it.
 */
let callsBeforeLoading = isDeno || globals.Bun !== undefined ? 100 : 0;

let loadedModule: NodeCrypto | undefined | null = null;

/** Node's module; `undefined` if it is not loaded yet, or the runtime does not have it. */
function nodeCrypto(): NodeCrypto | undefined {
  if (loadedModule !== null) return loadedModule;
  return callsBeforeLoading-- > 0 ? undefined : loadNodeCrypto();
}

function loadNodeCrypto(): NodeCrypto | undefined {
  if (loadedModule === null) loadedModule = globals.process?.getBuiltinModule?.("crypto");
  return loadedModule;
}

const encoder = new TextEncoder();

const webCryptoNames = { sha256: "SHA-256", sha512: "SHA-512" } as const;

/** The digest of bytes, or of a text's UTF-8 bytes: 32 bytes for SHA-256, 64 for SHA-512. */
export async function digestBytes(
  name: keyof typeof webCryptoNames,
  data: string | Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  return nodeCrypto()?.hash(name, data, "buffer") ?? await digestByWebCrypto(name, data);
}

/** The SHA-256 digest of a text's UTF-8 bytes, as 43 characters of base64url. */
export async function sha256(text: string): Promise<string> {
  return nodeCrypto()?.hash("sha256", text, "base64url") ?? encodeBase64url(await digestByWebCrypto("sha256", text));
}

/**
 * The same digest synchronously; `undefined` if the runtime has no synchronous hash. It loads Node's module, so
 * successful requests must not call it.
 */
export function sha256Sync(text: string): string | undefined {
  return loadNodeCrypto()?.hash("sha256", text, "base64url");
}

/** SHAKE256 (FIPS 202) of a text's UTF-8 bytes, 64 bytes long. Bun's WebCrypto lacks it, Node's prints a warning. */
export async function shake256(text: string): Promise<Uint8Array> {
  const node = loadNodeCrypto();
  if (node !== undefined) return node.createHash("shake256", { outputLength: 64 }).update(text).digest();
  const algorithm = { name: "cSHAKE256", length: 512, outputLength: 512 };
  return new Uint8Array(await crypto.subtle.digest(algorithm, encoder.encode(text)));
}

async function digestByWebCrypto(
  name: keyof typeof webCryptoNames,
  data: string | Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const bytes = typeof data === "string" ? encoder.encode(data) : data;
  return new Uint8Array(await crypto.subtle.digest(webCryptoNames[name], bytes));
}

/**
 * Creates a function that computes HMAC-SHA-256 (RFC 2104) of texts as base64url. With Node's module, it computes the
 * two digests of the definition, because an HMAC object of the module costs 4 µs (3 %) more per flow.
 *
 * @param secret 1 to 64 ASCII characters.
 * @throws {RangeError} For any other secret.
 */
export function hmacSha256(secret: string): (text: string) => Promise<string> {
  // deno-lint-ignore no-control-regex
  if (!/^[\x00-\x7F]{1,64}$/.test(secret)) throw new RangeError("expected a secret of 1 to 64 ASCII characters");
  const padKey = (pad: number) => Uint8Array.from({ length: 64 }, (_, i) => pad ^ (secret.charCodeAt(i) || 0));
  // The padded key is ASCII, so a string has the same bytes.
  const innerKey = String.fromCharCode(...padKey(0x36));
  const outer = new Uint8Array(96);
  outer.set(padKey(0x5c));
  let key: Promise<CryptoKey> | undefined;
  const byWebCrypto = async (text: string) => {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    key ??= crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
    return encodeBase64url(new Uint8Array(await crypto.subtle.sign("HMAC", await key, encoder.encode(text))));
  };
  return async (text) => {
    const node = nodeCrypto();
    if (node === undefined) return await byWebCrypto(text);
    outer.set(node.hash("sha256", innerKey + text, "buffer"), 64);
    return node.hash("sha256", outer, "base64url");
  };
}

const parameters = {
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  EdDSA: { name: "Ed25519" },
  Ed25519: { name: "Ed25519" },
  "ML-DSA-44": { name: "ML-DSA-44" },
  "ML-DSA-65": { name: "ML-DSA-65" },
  "ML-DSA-87": { name: "ML-DSA-87" },
} as const;

type Algorithm = keyof typeof parameters;

/** The post-quantum signature algorithms ML-DSA (RFC 9964). Not every runtime has them. */
export type MlDsaAlgorithm = Extract<Algorithm, `ML-DSA-${number}`>;

export function isMlDsa(alg: string): alg is MlDsaAlgorithm {
  return alg.startsWith("ML-DSA-") && alg in parameters;
}

/**
 * Whether the runtime has an algorithm. Node prints a warning once for each experimental algorithm that it is asked
 * for, so call this only with a name that a setting or a JWT contains.
 */
export function hasAlgorithm(alg: string): boolean {
  return !isMlDsa(alg) || globals.SubtleCrypto?.supports?.("verify", alg) === true;
}

/**
 * Algorithms that use Node's module, synchronously: 22 µs instead of 43 for ES256 on Node, 13 instead of 21 for EdDSA
 * on Deno, twice a flow. RS256 would block the event loop, so WebCrypto signs in a thread. On Deno, WebCrypto is faster
 * for ES256.
 */
const synchronousAlgorithms: ReadonlySet<Algorithm> = new Set<Algorithm>([
  ...isDeno ? [] : ["ES256" as const],
  "EdDSA",
  "Ed25519",
]);

/** Signs bytes. The signature of ES256 is the raw concatenation of r and s (RFC 7518 §3.4). */
export type SignBytes = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** Imports a public key, for many verifications. */
export function importPublicKey(alg: Algorithm, publicJwk: JsonWebKey, extractable = false): Promise<CryptoKey> {
  return crypto.subtle.importKey("jwk", publicJwk, parameters[alg], extractable, ["verify"]);
}

/** Imports a private key, for many signatures. The imported key is not extractable. */
export async function importPrivateKey(alg: Algorithm, privateJwk: JsonWebKey): Promise<SignBytes> {
  const algorithm = parameters[alg];
  const key = await crypto.subtle.importKey("jwk", privateJwk, algorithm, false, ["sign"]);
  const byWebCrypto = async (bytes: Uint8Array) =>
    new Uint8Array(await crypto.subtle.sign(algorithm, key, bytes as BufferSource));
  if (!synchronousAlgorithms.has(alg)) return byWebCrypto;
  let signSync: SignBytes | undefined;
  return (bytes) => {
    const node = signSync === undefined ? nodeCrypto() : undefined;
    if (node !== undefined) signSync = nodeSigner(node, alg, privateJwk);
    return (signSync ?? byWebCrypto)(bytes);
  };
}

function nodeSigner(node: NodeCrypto, alg: Algorithm, jwk: JsonWebKey): (bytes: Uint8Array) => Uint8Array {
  const privateKey = node.createPrivateKey({ key: jwk, format: "jwk" });
  if (alg !== "ES256") return (bytes) => node.sign(null, bytes, privateKey);
  // Node returns the raw form itself with `dsaEncoding`, but then a signature takes 43 µs instead of 21, twice a flow.
  return (bytes) => rawEcdsaSignature(node.sign("sha256", bytes, privateKey));
}

/** Converts a P-256 signature from DER (RFC 3279 §2.2.3) to r and s of 32 bytes each (RFC 7518 §3.4). */
export function rawEcdsaSignature(der: Uint8Array): Uint8Array {
  const raw = new Uint8Array(64);
  // Two integers follow the head of the sequence: tag, length, and bytes that may begin with one zero for the sign.
  let end = 2;
  for (let rawEnd = 32; rawEnd <= 64; rawEnd += 32) {
    const start = end + 2;
    end = start + der[end + 1]!;
    // A loop from the last byte on, because subarray takes several times as long on Bun.
    for (let i = 1; i <= 32 && end - i >= start; i++) raw[rawEnd - i] = der[end - i]!;
  }
  return raw;
}

/** Generates a key pair and returns its private JWK (RFC 7517). RSA keys have 2048 bits. */
export async function generateKey(alg: Algorithm): Promise<JsonWebKey> {
  const algorithm = alg === "RS256"
    ? { ...parameters.RS256, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) }
    : parameters[alg];
  const { privateKey } = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]) as CryptoKeyPair;
  return await crypto.subtle.exportKey("jwk", privateKey);
}

/** The part of Node's Buffer that is used. */
interface BufferConstructor {
  from(text: string, encoding?: "base64url" | "utf8"): Uint8Array & { toString(encoding: "base64url"): string };
  from(bytes: ArrayBufferLike, start: number, length: number): { toString(encoding: "base64url"): string };
}

// Only Node needs it. On Deno the first access loads it, which takes 4 ms.
const nodeBuffer = !isDeno && !("toBase64" in Uint8Array.prototype) ? globals.Buffer : undefined;

const options = { alphabet: "base64url", omitPadding: true } as const;

/** Encodes bytes, or the UTF-8 bytes of a text. */
export function encodeBase64url(data: Uint8Array | string): string {
  if (nodeBuffer !== undefined) {
    if (typeof data === "string") return nodeBuffer.from(data, "utf8").toString("base64url");
    return nodeBuffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64url");
  }
  const bytes = typeof data === "string" ? encoder.encode(data) : data;
  if ("toBase64" in bytes) return bytes.toBase64(options);
  return btoa(Array.from<number, string>(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const alphabet = /^[\w-]*$/;

/**
 * Decodes base64url without padding.
 *
 * @throws {SyntaxError} If the text is not base64url without padding.
 */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> {
  if (!alphabet.test(text) || text.length % 4 === 1) throw new SyntaxError("not base64url without padding");
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
}

/** Creates a random source that reads 2048 bytes at a time, because reading a few bytes takes as long. */
export function randomPool(): (bytes: number) => Uint8Array<ArrayBuffer> {
  const pool = new Uint8Array(2048);
  let used = pool.length;
  return (bytes) => {
    if (bytes > pool.length) return crypto.getRandomValues(new Uint8Array(bytes));
    if (bytes > pool.length - used) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    const result = new Uint8Array(bytes);
    // A loop, because slice takes several times as long on Bun. It erases the used bytes.
    for (let i = 0; i < bytes; i++) {
      result[i] = pool[used]!;
      pool[used++] = 0;
    }
    return result;
  };
}
