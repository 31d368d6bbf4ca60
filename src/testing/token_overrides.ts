/** Minted tokens with other claims, another key, another issuer or no signature. */

import { jwtSigner, signJwt } from "../core/keys/jwt.ts";
import { createKey, type NewKey, type Signer } from "../core/keys/keys.ts";
import { type SigningAlgorithm, signingAlgorithms } from "../core/keys/signing_algorithm.ts";
import type { Server } from "../core/server.ts";
import { quote } from "../server/config/config_issue.ts";
import { decodeJwtPart } from "../platform/http/jwt_part.ts";
import { encodeBase64url } from "../core/keys/crypto.ts";
import { keyThumbprint } from "../core/keys/jwk.ts";
import { describeUnusableKey } from "../core/keys/key_faults.ts";
import type { AccessTokenRecord } from "../server/token/access_tokens.ts";
import { keysInMemory, testKeys, testKeysOf } from "./keys.ts";
import { wrapStore } from "./wrap_store.ts";
import type { PrivateJwk } from "../client/private_jwk.ts";

/** How a token differs from one that the server would issue. */
export interface TokenOverrides {
  /** Claims to add or replace; `undefined`, in JSON `null`, removes one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Whether the token becomes valid in an hour (`nbf`). Default: false. */
  readonly notYetValid?: boolean;
  /** The algorithm; `none` leaves the token unsigned. Default: the algorithm of the server or client. */
  readonly alg?: SigningAlgorithm | "none";
  /**
   * `wrong key`: the `kid` of the server's key, with the signature of another key. `unknown key`: another key with its
   * own `kid`. A private JWK: that key with its `kid`. Default: the server's key.
   */
  readonly signedBy?: "wrong key" | "unknown key" | PrivateJwk;
  /** The issuer; a token of another issuer is signed with a key of that issuer. Default: the server's. */
  readonly issuer?: string;
  /** The `typ` of the header. Default: the one that the server uses. */
  readonly typ?: string;
}

/** How long ago expired tokens expired, and when others become valid: more than clients tolerate. */
export const expiryMarginSeconds = 3600;

/** The server with another signature and other records of opaque tokens. */
export function withOverrides<Own extends Server>(server: Own, overrides: TokenOverrides): Own {
  const { issuer, notYetValid = false, typ, alg: requestedAlg, claims: extraClaims } = overrides;
  const overrideClaims = (claims: Readonly<Record<string, unknown>>) => ({
    ...claims,
    ...issuer !== undefined && { iss: issuer },
    ...notYetValid && { nbf: Number(claims.iat) + expiryMarginSeconds, exp: Number(claims.exp) + expiryMarginSeconds },
    ...extraClaims,
  });
  const { store } = server;
  const changed: Pick<Server, "keys" | "store"> = {
    keys: {
      ...server.keys,
      async sign(kind, alg, claims) {
        const signer = await signerFor(server, alg, overrides);
        const sign = jwtSigner({ signer: () => Promise.resolve(signer) }, server.keys.types);
        const jwt = typ === undefined
          ? await sign(kind, alg, overrideClaims(claims))
          : await signJwt(signer, typ, overrideClaims(claims));
        return requestedAlg === "none" ? withoutSignature(jwt) : jwt;
      },
    },
    store: wrapStore(store, {
      put(kind, id, value, metadata) {
        if (kind !== "access_token") return store.put(kind, id, value, metadata);
        assertOpaqueCompatible(overrides);
        const { claims, ...record } = value as AccessTokenRecord;
        return store.put("access_token", id, { ...record, claims: overrideClaims(claims) }, metadata);
      },
    }),
  };
  return { ...server, ...changed } as Own;
}

/**
 * The algorithm of a token.
 *
 * @param defaultAlg The algorithm of the server or client.
 * @throws {TypeError} If the key is for an algorithm that no server signs with.
 */
export function resolveAlgorithm(
  { alg = "none", signedBy }: TokenOverrides,
  defaultAlg: SigningAlgorithm,
): SigningAlgorithm {
  const requestedAlg = alg === "none" ? defaultAlg : alg;
  const keyAlg = typeof signedBy === "object" ? signedBy.alg ?? requestedAlg : requestedAlg;
  const supportedAlg = signingAlgorithms.find((supported) => supported === keyAlg);
  if (supportedAlg !== undefined) return supportedAlg;
  throw new TypeError(`signedBy: expected a key for ${signingAlgorithms.join(" or ")}, received one for ${keyAlg}`);
}

function assertOpaqueCompatible({ alg, signedBy, issuer, typ, notYetValid }: TokenOverrides): void {
  if (!notYetValid && [alg, signedBy, issuer, typ].every((option) => option === undefined)) return;
  throw new TypeError(
    "options: expected only claims and times, because the access tokens of this client are opaque, received alg, signedBy, " +
      "issuer, typ or notYetValid. Register the client with access_token_format jwt.",
  );
}

/** The unsigned form of a JWT. */
export function withoutSignature(jwt: string): string {
  const [, claims] = jwt.split(".");
  const { typ } = decodeJwtPart(jwt, 0);
  return `${encodeBase64url(JSON.stringify({ alg: "none", typ }))}.${claims}.`;
}

/** The signer of a token with overrides. @throws {TypeError} If the key is not a private one for the algorithm. */
export async function signerFor(
  server: Server,
  alg: SigningAlgorithm,
  { signedBy, issuer }: TokenOverrides,
): Promise<Signer> {
  if (typeof signedBy === "object") {
    try {
      const kid = signedBy.kid ?? await keyThumbprint({ ...signedBy });
      return await foreignSigner(alg, { kid, jwk: { ...signedBy } });
    } catch (cause) {
      const { expected, received } = describeUnusableKey(alg, { ...signedBy });
      throw new TypeError(`signedBy: expected ${expected}, received ${received}`, { cause });
    }
  }
  if (signedBy !== undefined && signedBy !== "wrong key" && signedBy !== "unknown key") {
    throw new TypeError(`signedBy: expected "wrong key", "unknown key" or a private JWK, received ${quote(signedBy)}`);
  }
  if (signedBy === undefined && issuer === undefined) return await server.keys.signer(alg);
  const signer = await foreignSigner(alg, { ...await findForeignKey(server, alg), kid: issuer ?? "unknown" });
  return signedBy === "wrong key" ? { ...signer, kid: (await server.keys.signer(alg)).kid } : signer;
}

/** A key that the server does not have. */
async function findForeignKey(server: Server, alg: SigningAlgorithm): Promise<NewKey> {
  const published = await server.keys.publishedKeys([]);
  const foreignKeys = (await testKeysOf(alg)).filter(({ kid }) => !published.some((key) => key.kid === kid));
  return foreignKeys.at(-1) ?? await createKey(alg);
}

/** A signer for a key that is not the server's. */
export async function foreignSigner(alg: SigningAlgorithm, key: NewKey): Promise<Signer> {
  return await keysInMemory({ ...testKeys(true), create: () => key }).signer(alg);
}
