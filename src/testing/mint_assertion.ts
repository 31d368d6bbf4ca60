/** Mints assertions of another issuer: the test acts as an identity provider that the server trusts (RFC 7523 §2.1). */

import { type Field, type FieldsOf, flag, object, text } from "../core/policy/field.ts";
import { secondsNow, signJwt } from "../core/keys/jwt.ts";
import type { Signer } from "../core/keys/keys.ts";
import { type PublicKeySet, publicMembersOf } from "../core/keys/jwk.ts";
import { isMlDsa, type SigningAlgorithm } from "../core/keys/signing_algorithm.ts";
import { randomId } from "../core/keys/secrets.ts";
import type { Server } from "../core/server.ts";
import { builtInKeys } from "./built_in_keys.ts";
import { testKeysOf } from "./keys.ts";
import { anyOption } from "./options.ts";
import {
  expiryMarginSeconds,
  foreignSigner,
  resolveAlgorithm,
  signerFor,
  type TokenOverrides,
  withoutSignature,
} from "./token_overrides.ts";

/** The issuer of minted assertions, unless the test names one. */
const defaultIssuer = "https://idp.test";

/** The lifetime of a minted assertion, in seconds. */
const defaultLifetimeSeconds = 300;

/** @internal */
export interface MintedAssertion extends TokenOverrides {
  /** The issuer; its keys are {@link foreignJwks}. Default: `https://idp.test`. */
  readonly issuer?: string;
  /** The subject. Default: the `sub` of the first user. */
  readonly sub?: string;
  /** The `aud`. Default: the issuer of this server. */
  readonly audience?: string | readonly string[];
  /** The lifetime in seconds. Default: 300. */
  readonly expiresIn?: number;
  /** Whether it expired an hour ago. Default: false. */
  readonly expired?: boolean;
}

/** @internal */
export interface MintedIdJag extends MintedAssertion {
  /** The client, or its id. Default: the first registered one. */
  readonly client?: string | { readonly client_id: string };
  /** Space-separated. Default: no `scope`. */
  readonly scope?: string;
  /** The resource, or several. Default: no `resource`. */
  readonly resource?: string | readonly string[];
}

/** The description of {@link MintedAssertion}, and that of {@link MintedIdJag}, with the fields of overrides. */
export function assertionFields(
  overrides: FieldsOf<TokenOverrides>,
): { readonly assertion: Field; readonly idJag: Field } {
  const fields: FieldsOf<MintedAssertion> = {
    ...overrides,
    issuer: text([defaultIssuer]),
    sub: text(["bob"]),
    audience: anyOption,
    expiresIn: anyOption,
    expired: flag(false),
  };
  return {
    assertion: object<MintedAssertion>("MintedAssertion", fields, {}),
    idJag: object<MintedIdJag>("MintedIdJag", {
      ...fields,
      client: anyOption,
      scope: text(["read"]),
      resource: anyOption,
    }, {}),
  };
}

/**
 * The public keys of another issuer, for the `jwks` of `trustedIssuers`. They verify the assertions that `as.mint`
 * signs.
 *
 * @param issuer Default: `https://idp.test`.
 *
 * @example
 * ```ts
 * import { foreignJwks, testLatchkey } from "@latchkey/latchkey/testing";
 *
 * await using as = await testLatchkey({
 *   trustedIssuers: [{ issuer: "https://idp.test", jwks: foreignJwks(), users: "sub" }],
 * });
 * const assertion = await as.mint.assertion({ sub: "bob" });
 * ```
 */
export function foreignJwks(issuer: string = defaultIssuer): PublicKeySet {
  return {
    keys: Object.entries(builtInKeys).map(([alg, keys]) => (
      { ...publicMembersOf({ ...keys.at(-1)!.jwk }), kid: issuer, alg, use: "sig" }
    )),
  };
}

/**
 * Mints an assertion.
 *
 * @param extraClaims The claims of an ID-JAG.
 */
export async function mintAssertion(
  server: Server,
  options: MintedAssertion,
  typ: string,
  extraClaims: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const { issuer = defaultIssuer, audience = server.issuer, expiresIn = defaultLifetimeSeconds } = options;
  const ago = options.expired ? expiresIn + expiryMarginSeconds : 0;
  const ahead = options.notYetValid ? expiryMarginSeconds : 0;
  const iat = secondsNow(server) - ago;
  const claims = {
    iss: issuer,
    sub: options.sub ?? (await server.users.list({ limit: 1 }))[0]?.sub,
    aud: audience,
    jti: randomId(server.randomBytes),
    iat,
    exp: iat + expiresIn + ahead,
    ...ahead > 0 && { nbf: iat + ahead },
    ...extraClaims,
    ...options.claims,
  };
  // The keys of the issuer do not include one for ML-DSA.
  const alg = resolveAlgorithm(options, isMlDsa(server.policy.alg) ? "RS256" : server.policy.alg);
  const jwt = await signJwt(await assertionSigner(server, alg, issuer, options), options.typ ?? typ, claims);
  return options.alg === "none" ? withoutSignature(jwt) : jwt;
}

/** A key of the issuer, or one that the test asks for. */
async function assertionSigner(
  server: Server,
  alg: SigningAlgorithm,
  issuer: string,
  { signedBy }: MintedAssertion,
): Promise<Signer> {
  const [otherKey, issuerKey] = (await testKeysOf(alg)).slice(-2);
  if (signedBy === undefined) return await foreignSigner(alg, { ...issuerKey!, kid: issuer });
  if (signedBy === "wrong key") return await foreignSigner(alg, { ...otherKey!, kid: issuer });
  if (signedBy === "unknown key") return await foreignSigner(alg, { ...otherKey!, kid: "unknown" });
  return await signerFor(server, alg, { signedBy });
}
