/**
 * The forged JWTs: every signature, header and form that a verifier must reject (RFC 7515, RFC 8725), in each message
 * that is a JWT. Each differs from the JWT of the server in one property, so that only the check of it stops the JWT.
 */

import type { Scene } from "../attack.ts";
import { type Attack, type AttackSource, defineAttack } from "../define_attack.ts";
import {
  type Forge,
  forgeJwt,
  publicKeyForms,
  publicKeySecret,
  signWithForeignKey,
  signWithHmac,
  signWithOwnKey,
} from "./forged_jwt.ts";
import { oneOf } from "./parameters.ts";
import { encodeBase64url } from "../../core/keys/crypto.ts";
import { encodeJwt, type SignedKind } from "../../testing/faults/resign.ts";

type ForgeFor = (...args: [...Parameters<Forge>, scene: Scene]) => ReturnType<Forge>;

export type Forgeries = Readonly<Record<string, ForgeFor>>;

/** Forgeries by what the header names. */
const each = <Value>(values: Readonly<Record<string, Value>>, forge: (value: Value) => ForgeFor): Forgeries =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, forge(value)]));

/** Values that are their own names. */
const named = (prefix: string, values: readonly string[]) =>
  Object.fromEntries(values.map((value) => [`${prefix}${value}`, value]));

/** Not signed, or with an algorithm that is none. */
export const unsignedForgeries: Forgeries = {
  ...each(
    named("alg ", ["none", "None"]),
    (alg) => ({ header, claims }) => `${encodeJwt({ ...header, alg }, claims)}.`,
  ),
  "alg none with a signature": ({ header, claims }) => `${encodeJwt({ ...header, alg: "none" }, claims)}.AAAA`,
  "no signature": ({ header, claims }) => `${encodeJwt(header, claims)}.`,
  "a signature of zeros": async ({ header, claims, sign }) => {
    const input = encodeJwt(header, claims);
    return `${input}.${encodeBase64url(new Uint8Array((await sign(input)).length))}`;
  },
  ...each({ "alg XX256": "XX256", "alg empty": "" }, (alg) => (original) => signWithOwnKey(original, { alg })),
};

/** Signed by an attacker, or changed afterwards. */
export const foreignlySigned: Forgeries = {
  "another key": (original) => signWithForeignKey(original),
  "another key without kid": (original) => signWithForeignKey(original, () => ({ kid: undefined })),
  "one bit changed": async ({ header, claims, sign }) => {
    const input = encodeJwt(header, claims);
    return `${input}.${encodeBase64url((await sign(input)).map((byte, at) => at === 0 ? byte ^ 1 : byte))}`;
  },
  "payload changed": async ({ header, claims, sign }) =>
    `${encodeJwt(header, { ...claims, changed: true })}.${encodeBase64url(await sign(encodeJwt(header, claims)))}`,
  "an unknown kid": (original) => signWithForeignKey(original, () => ({ kid: unknownKid(original.header.kid) })),
  ...each(
    {
      ...named("kid ", ["../../../../dev/null", "' OR '1'='1"]),
      "kid of 10 KiB": "k".repeat(10_240),
    },
    (kid) => (original) => signWithForeignKey(original, () => ({ kid })),
  ),
};

/** Signed with HMAC, and a secret that an attacker knows. */
export const hmacs: Forgeries = {
  "HMAC with an empty secret": ({ header, claims }) =>
    signWithHmac({ ...header, alg: "HS256" }, claims, new Uint8Array()),
  ...each(
    named("HMAC with the public key as ", publicKeyForms),
    (form) => async (original) =>
      await signWithHmac({ ...original.header, alg: "HS256" }, original.claims, await publicKeySecret(original, form)),
  ),
};

/** A key ID of the form of the server's, which no published key has. */
const unknownKid = (kid: unknown) => String(kid).replace(/^./, (char) => char === "x" ? "y" : "x");

/** Signed with a key of an attacker, which the header brings or names. */
export const keysInHeader: Forgeries = {
  "jwk": (original) => signWithForeignKey(original, (jwk) => ({ kid: unknownKid(original.header.kid), jwk })),
  "jwk under the kid of the server": (original) => signWithForeignKey(original, (jwk) => ({ jwk })),
  "a URL in jku": (original, { trap }) =>
    signWithForeignKey(original, () => ({ kid: unknownKid(original.header.kid), jku: `${trap.origin}/keys` })),
};

/** Of a form that no JWT of this server has, some of them rightly signed. */
export const wrongForms: Forgeries = {
  "one part": ({ header }) => encodeBase64url(JSON.stringify(header)),
  "two parts": ({ header, claims }) => encodeJwt(header, claims),
  "four parts": async (original) => `${await signWithOwnKey(original, {})}.AAAA`,
  "10,000 parts": () => ".".repeat(10_000),
  ...each(
    named("crit ", ["urn:example:extension", "b64"]),
    (extension) => (original) =>
      signWithOwnKey(original, { crit: [extension], [extension]: extension === "b64" ? false : "1" }),
  ),
  ...each(named("encrypted by ", ["dir", "RSA1_5", "PBES2-HS256+A128KW"]), (alg) => () => {
    const header = { alg, enc: "A128CBC-HS256", zip: "DEF", p2c: 1_000_000_000, p2s: "AAAAAAAAAAA" };
    const key = alg === "dir" ? "" : encodeBase64url(new Uint8Array(40));
    const rest = [16, 64, 16].map((length) => encodeBase64url(new Uint8Array(length)));
    return [encodeBase64url(JSON.stringify(header)), key, ...rest].join(".");
  }),
};

/** One forgery of each kind, for a message that few clients read. */
export const oneOfEachSignature: Forgeries = Object.fromEntries(
  [unsignedForgeries, foreignlySigned, hmacs, keysInHeader].map((kind) => Object.entries(kind)[0]!),
);

export const forgedSignatures: Forgeries = { ...unsignedForgeries, ...foreignlySigned, ...hmacs, ...keysInHeader };

/** An attack with some forgeries instead of one kind of JWT. Default: the ID token. */
export function forgeryAttack(
  source: Omit<AttackSource<readonly []>, "parameters" | "once" | "always" | "start" | "perform">,
  forgeries: Forgeries,
  kind?: SignedKind,
): Attack {
  return defineAttack({
    ...source,
    ...oneOf("how", Object.keys(forgeries), "How it is forged."),
    once: ({ how }, scene) => forgeJwt("forged JWT", (original) => forgeries[how]!(original, scene), kind),
  });
}
