/** Passwords as they are written down: scrypt digests (RFC 7914) as one line of text, in the format of PHC strings. */

import { decodeBase64url, encodeBase64url } from "../../runtime/base64url.ts";
import type { User } from "../clients/client.ts";

/** What a digest was made with. */
export interface PasswordDigest {
  /** The binary logarithm of the cost. */
  readonly ln: number;
  /** The block size. */
  readonly r: number;
  /** The parallelisation. */
  readonly p: number;
  /** Drawn for this digest alone. */
  readonly salt: Uint8Array;
  /** What the password becomes. */
  readonly hash: Uint8Array;
}

/** How new digests are made: 32 MiB and a tenth of a second, or somewhat more, for each guess. */
export const passwordCost = { ln: 15, r: 8, p: 3, salt: 16, hash: 32 } as const;

/** The longest password that is read, in bytes of UTF-8: more would only keep the server busy. */
export const maxPasswordBytes = 1024;

/** As much memory as one guess may take, in bytes. */
const maxScryptMemoryBytes = 128 * 1024 * 1024;

/**
 * Minimum cost of a digest where the issuer is not a test host: the smallest memory in OWASP's Password Storage Cheat
 * Sheet (N·r of 2^16, 8 MiB), and the work of ln=16, r=8, p=1 (N·r·p of 2^19).
 */
const minScryptCost = { memory: 2 ** 16, work: 2 ** 19 };

const phcFormat = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** Reads a digest; `undefined` where it is none, or one that costs too much or next to nothing to check. */
export function parsePasswordDigest(text: string): PasswordDigest | undefined {
  const [, ln, r, p, salt, hash] = phcFormat.exec(text) ?? [];
  if (hash === undefined) return undefined;
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  if (cost.ln < 10 || cost.r < 1 || cost.p < 1 || cost.p > 16 || 128 * 2 ** cost.ln * cost.r > maxScryptMemoryBytes) {
    return undefined;
  }
  return { ...cost, salt: decodeBase64(salt!), hash: decodeBase64(hash) };
}

/** Whether a digest is too cheap to guess where the issuer is not a test host. */
export function isWeakDigest({ ln, r, p }: Pick<PasswordDigest, "ln" | "r" | "p">): boolean {
  const memory = 2 ** ln * r;
  return memory < minScryptCost.memory || memory * p < minScryptCost.work;
}

/** Writes a digest as {@link parsePasswordDigest} reads it. */
export function formatPasswordDigest({ ln, r, p, salt, hash }: PasswordDigest): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$${encodeBase64(salt)}$${encodeBase64(hash)}`;
}

// PHC strings have the letters of base64 and no padding.
function decodeBase64(text: string): Uint8Array {
  return decodeBase64url(text.replaceAll("+", "-").replaceAll("/", "_"));
}

function encodeBase64(bytes: Uint8Array): string {
  return encodeBase64url(bytes).replaceAll("-", "+").replaceAll("_", "/");
}

const digestsByUser = new WeakMap<User, PasswordDigest>();

/** The user as everybody may see them: the password's digest is put where only {@link getPasswordDigest} finds it. */
export function withoutPassword(user: User): User {
  if (user.password === undefined) return user;
  const { password, ...visible } = user;
  digestsByUser.set(visible as User, parsePasswordDigest(password)!);
  return visible as User;
}

/** The digest of a registered user's password; `undefined` where none is asked for. */
export function getPasswordDigest(user: User): PasswordDigest | undefined {
  return digestsByUser.get(user);
}
