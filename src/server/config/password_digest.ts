/** Passwords of users: scrypt digests (RFC 7914) in the PHC string format or, on test hosts, plain text. */

import { decodeBase64url, encodeBase64url } from "../../core/keys/crypto.ts";
import type { User } from "../../core/clients/client.ts";

export interface PasswordDigest {
  /** The binary logarithm of the cost. */
  readonly ln: number;
  /** The block size. */
  readonly r: number;
  readonly p: number;
  /** Random, different for each digest. */
  readonly salt: Uint8Array;
  /** The derived key. */
  readonly hash: Uint8Array;
}

/** The parameters of new digests: 32 MiB and about a tenth of a second for each verification. */
export const passwordCost = { ln: 15, r: 8, p: 3, salt: 16, hash: 32 } as const;

/** Maximum length of a password, in bytes of UTF-8 (denial of service). */
export const maxPasswordBytes = 1024;

/** Maximum memory of one verification, in bytes. */
const maxScryptMemoryBytes = 128 * 1024 * 1024;

/**
 * Minimum cost of a digest if the issuer is not on a test host: the smallest memory in OWASP's Password Storage Cheat
 * Sheet (N·r of 2^16, 8 MiB), and the work of ln=16, r=8, p=1 (N·r·p of 2^19).
 */
const minScryptCost = { memory: 2 ** 16, work: 2 ** 19 };

const phcFormat = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** Parses a digest; `undefined` if it is malformed, or its cost is too high or too low. */
export function parsePasswordDigest(text: string): PasswordDigest | undefined {
  const [, ln, r, p, salt, hash] = phcFormat.exec(text) ?? [];
  if (hash === undefined) return undefined;
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  if (cost.ln < 10 || cost.r < 1 || cost.p < 1 || cost.p > 16 || 128 * 2 ** cost.ln * cost.r > maxScryptMemoryBytes) {
    return undefined;
  }
  return { ...cost, salt: decodeBase64(salt!), hash: decodeBase64(hash) };
}

/** Whether a digest is too weak for an issuer that is not on a test host. */
export function isWeakDigest({ ln, r, p }: Pick<PasswordDigest, "ln" | "r" | "p">): boolean {
  const memory = 2 ** ln * r;
  return memory < minScryptCost.memory || memory * p < minScryptCost.work;
}

/** Formats a digest; {@link parsePasswordDigest} parses it. */
export function formatPasswordDigest({ ln, r, p, salt, hash }: PasswordDigest): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$${encodeBase64(salt)}$${encodeBase64(hash)}`;
}

// PHC strings use the alphabet of base64, without padding.
function decodeBase64(text: string): Uint8Array {
  return decodeBase64url(text.replaceAll("+", "-").replaceAll("/", "_"));
}

function encodeBase64(bytes: Uint8Array): string {
  return encodeBase64url(bytes).replaceAll("-", "+").replaceAll("_", "/");
}

const passwordsByUser = new WeakMap<User, string>();

/** A copy of a user without the password; {@link getPassword} returns the password. */
export function withoutPassword(user: User): User {
  const { password, ...visible } = user;
  if (password !== undefined) passwordsByUser.set(visible as User, password);
  return visible as User;
}

/** The member `password` of a registered user: a digest or, on test hosts, plain text. `undefined` without one. */
export function getPassword(user: User): string | undefined {
  return passwordsByUser.get(user);
}

/** The password digest of a registered user; `undefined` without a password, or if it is plain text. */
export function getPasswordDigest(user: User): PasswordDigest | undefined {
  const password = getPassword(user);
  return password === undefined ? undefined : parsePasswordDigest(password);
}

/** Digests by their beginnings, of this server and of other programs: no such text is a plain password. */
const digests: readonly (readonly [beginning: RegExp, name: string])[] = [
  [/^\$?scrypt[$:]/, "A digest of scrypt in another form"],
  [/^\$2[abxy]?\$/, "A bcrypt digest"],
  [/^\$argon2/, "An Argon2 digest"],
  [/^\{?\$?pbkdf2/i, "A PBKDF2 digest"],
  [/^(?:\$[156y]\$|\{S?SHA)/, "A digest of another kind"],
];

/** The name of the digest that a text is; `undefined` for plain text. */
export function digestName(password: string): string | undefined {
  return digests.find(([beginning]) => beginning.test(password))?.[1];
}
