/** Signs tokens within the limit of their length, and warns about long ones. */

import { isReservedClaim } from "../../core/clients/claims.ts";
import type { Client } from "../../core/clients/clients.ts";
import type { SigningAlgorithm } from "../../core/keys/signing_algorithm.ts";
import type { JwtKind } from "../../core/keys/jwt.ts";
import { maxTokenLength } from "../../core/token/tokens/sent_token.ts";
import type { HostedServer } from "../hosted_server.ts";

type Claims = Readonly<Record<string, unknown>>;

interface ClaimSize {
  readonly name: string;
  readonly bytes: number;
}

/** The length from which a token is too long for a cookie, in characters. */
const maxCookieLength = 4096;

const maxWarned = 1000;

/** The clients that were warned about, each with the kind of token. */
const warned = new WeakMap<HostedServer["clients"], Set<string>>();

/**
 * Signs a token. Leaves the largest claims about the user out, with a warning, until it is short enough; claims of the
 * protocol always remain.
 */
export async function signLimitedToken(
  server: HostedServer,
  client: Client,
  kind: JwtKind,
  alg: SigningAlgorithm,
  claims: Claims,
): Promise<string> {
  const token = await server.keys.sign(kind, alg, claims);
  if (token.length <= maxCookieLength) return token;
  const sizes = sizesOf(claims);
  const facts = { kind: kind === "id_token" ? "ID token" : "access token", length: token.length, largest: sizes[0] };
  // Base64url encodes three bytes as four characters.
  const leftOut = largest(sizes, (token.length - maxTokenLength) * 3 / 4);
  if (leftOut.length > 0) {
    server.observe(server, client.id, "CL-17", {
      ...facts,
      maxLength: maxTokenLength,
      leftOut: leftOut.map(({ name }) => name),
    });
    const rest = Object.fromEntries(leftOut.map(({ name }) => [name, undefined]));
    return await server.keys.sign(kind, alg, { ...claims, ...rest });
  }
  if (isFirst(server, `${kind} ${client.id}`)) {
    server.observe(server, client.id, "CL-17", { ...facts, maxLength: maxCookieLength, leftOut: [] });
  }
  return token;
}

/** The sizes of the claims that are not of the protocol, the largest first. */
function sizesOf(claims: Claims): ClaimSize[] {
  return Object.entries(claims)
    .filter(([name, value]) => value !== undefined && !isReservedClaim(name, "access token"))
    .map(([name, value]) => ({ name, bytes: new TextEncoder().encode(JSON.stringify(value)).length }))
    .sort((a, b) => b.bytes - a.bytes);
}

/** The first claims that together have so many bytes; all if they have fewer. */
function largest(sizes: readonly ClaimSize[], bytes: number): readonly ClaimSize[] {
  let count = 0;
  for (let sum = 0; sum < bytes && count < sizes.length; count++) sum += sizes[count]!.bytes;
  return sizes.slice(0, count);
}

function isFirst({ clients }: HostedServer, key: string): boolean {
  const known = warned.get(clients) ?? new Set();
  if (known.has(key) || known.size >= maxWarned) return false;
  warned.set(clients, known.add(key));
  return true;
}
