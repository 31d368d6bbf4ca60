/** What is minted with a difference: other claims, another key, another issuer, no signature. */

import type { MaybePromise } from "../oauth/maybe_promise.ts";
import { generatedKeys, jwtSigner, signingAlgorithms, signJwt, storedKeys } from "../oauth/keys/keys.ts";
import type { NewKey, Signer, SigningAlgorithm } from "../oauth/keys/keys.ts";
import type { Server } from "../oauth/server.ts";
import { decodeJwtPart } from "../recorder/record_request.ts";
import { encodeBase64url } from "../runtime/base64url.ts";
import { memoryStore } from "../store/memory.ts";
import type { AccessTokenRecord } from "../store/store.ts";
import { builtInKeys } from "./built_in_keys.ts";
import { testKeys } from "./keys.ts";
import { wrapStore } from "./wrap_store.ts";
import type { PrivateJwk } from "./private_jwk.ts";

/** How a token differs from one that the server would issue. */
export interface TokenOverrides {
  /** Claims to add or replace; `undefined` removes one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Makes one that becomes valid in an hour (`nbf`). Default: false. */
  readonly notYetValid?: boolean;
  /** The algorithm; `none` leaves it unsigned. Default: as the server would sign it. */
  readonly alg?: SigningAlgorithm | "none";
  /**
   * `wrong key`: the `kid` of the server's key, but the signature of another. `unknown key`: another key under a `kid`
   * of its own. A private JWK: that key, under its `kid`. Default: the server's key.
   */
  readonly signedBy?: "wrong key" | "unknown key" | PrivateJwk;
  /** Issued as if by another issuer, and signed with a key of that issuer. Default: this one. */
  readonly issuer?: string;
  /** The `typ` of the header. Default: as the server would write it. */
  readonly typ?: string;
}

/** Seconds by which what is expired has expired, and by which what is not yet valid is not: more than clients forgive. */
export const expiryMarginSeconds = 3600;

/** The server, with its signature and its shelf of opaque tokens changed. */
export function withOverrides(server: Server, overrides: TokenOverrides): Server {
  const { issuer, notYetValid = false, typ, alg: requestedAlg, claims: extraClaims } = overrides;
  const overrideClaims = (claims: Readonly<Record<string, unknown>>) => ({
    ...claims,
    ...issuer !== undefined && { iss: issuer },
    ...notYetValid && { nbf: Number(claims.iat) + expiryMarginSeconds, exp: Number(claims.exp) + expiryMarginSeconds },
    ...extraClaims,
  });
  const { store } = server;
  return {
    ...server,
    async sign(kind, alg, claims) {
      const signer = await signerFor(server, alg, overrides);
      const sign = jwtSigner({ ...server.keys, signer: () => Promise.resolve(signer) });
      const jwt = typ === undefined
        ? await sign(kind, alg, overrideClaims(claims))
        : await signJwt(signer, typ, overrideClaims(claims));
      return requestedAlg === "none" ? withoutSignature(jwt) : jwt;
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
}

/**
 * The algorithm that a token is signed with.
 *
 * @param defaultAlg As the server would sign it.
 * @throws {TypeError} When the key is for another one than servers sign with.
 */
export function resolveAlgorithm(
  { alg = "none", signedBy }: TokenOverrides,
  defaultAlg: SigningAlgorithm,
): SigningAlgorithm {
  const requestedAlg = alg === "none" ? defaultAlg : alg;
  const keyAlg = typeof signedBy === "object" ? signedBy.alg ?? requestedAlg : requestedAlg;
  const supportedAlg = signingAlgorithms.find((one) => one === keyAlg);
  if (supportedAlg !== undefined) return supportedAlg;
  throw new TypeError(`signedBy: expected a key for ${signingAlgorithms.join(", ")}, found one for ${keyAlg}`);
}

function assertOpaqueCompatible({ alg, signedBy, issuer, typ, notYetValid }: TokenOverrides): void {
  if (!notYetValid && [alg, signedBy, issuer, typ].every((one) => one === undefined)) return;
  throw new TypeError("This client's access tokens are opaque: they have no alg, signature, issuer, typ or nbf");
}

function withoutSignature(jwt: string): string {
  const [, claims] = jwt.split(".");
  const { typ } = decodeJwtPart(jwt, 0);
  return `${encodeBase64url(JSON.stringify({ alg: "none", typ }))}.${claims}.`;
}

async function signerFor(server: Server, alg: SigningAlgorithm, { signedBy, issuer }: TokenOverrides): Promise<Signer> {
  if (typeof signedBy === "object") {
    if (signedBy.d === undefined) throw new TypeError("signedBy: expected a private JWK, found one without d");
    const kid = signedBy.kid ?? await (await import("jose")).calculateJwkThumbprint(signedBy);
    return await foreignSigner(server, alg, { kid, jwk: { ...signedBy } });
  }
  if (signedBy === undefined && issuer === undefined) return await server.keys.signer(alg);
  const signer = await foreignSigner(server, alg, { ...await findForeignKey(server, alg), kid: issuer ?? "unknown" });
  return signedBy === "wrong key" ? { ...signer, kid: (await server.keys.signer(alg)).kid } : signer;
}

/** A key that the server does not have. */
async function findForeignKey(server: Server, alg: SigningAlgorithm): Promise<NewKey> {
  const published = await server.keys.publishedKeys([]);
  const foreignKeys = builtInKeys[alg].filter(({ kid }) => !published.some((key) => key.kid === kid));
  return foreignKeys.at(-1) ?? await generatedKeys.create(alg, 0);
}

/** Signs with a key that is none of the server's; always with the same outcome. */
function foreignSigner(server: Server, alg: SigningAlgorithm, key: NewKey): MaybePromise<Signer> {
  const source = { ...testKeys(true), create: () => key };
  return storedKeys(memoryStore(), server.now, () => {}, 0, { source, testKeys: "accepted" }).signer(alg);
}
