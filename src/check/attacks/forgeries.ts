/**
 * The forged JWTs: every signature, header and form that a verifier must reject (RFC 7515, RFC 8725), in each message
 * that is a JWT.
 */

import { type JwtKind, jwtSigner } from "../../core/keys/jwt.ts";
import { foreignKeys } from "../../testing/keys.ts";
import type { Stage } from "../attack.ts";
import { type Attack, type AttackSource, defineAttack } from "../define_attack.ts";
import {
  type Forge,
  forgeJwt,
  type Original,
  publicKeyForms,
  publicKeySecret,
  signWithFreshKey,
  signWithHmac,
  signWithOwnKey,
} from "./forged_jwt.ts";
import { oneOf } from "./parameters.ts";
import { encodeBase64url } from "../../core/crypto.ts";
import { encodeJwt } from "../../testing/faults/resign.ts";

type ForgeFor = (...args: [...Parameters<Forge>, stage: Stage]) => ReturnType<Forge>;

/** Forgeries by name. */
export type Forgeries = Readonly<Record<string, ForgeFor>>;

/** Forgeries by what the header names. */
const each = <Value>(values: Readonly<Record<string, Value>>, forge: (value: Value) => ForgeFor): Forgeries =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, forge(value)]));

/** Values that are their own names. */
const named = (prefix: string, values: readonly string[]) =>
  Object.fromEntries(values.map((value) => [`${prefix}${value}`, value]));

/** Not signed, or with an algorithm that is none. */
export const unsigned: Forgeries = {
  ...each(
    named("alg ", ["none", "None", "NoNe"]),
    (alg) => ({ header, claims }) => `${encodeJwt({ ...header, alg }, claims)}.`,
  ),
  "alg none with a signature": ({ header, claims }) => `${encodeJwt({ ...header, alg: "none" }, claims)}.AAAA`,
  "no signature": ({ header, claims }) => `${encodeJwt(header, claims)}.`,
  "a signature of zeros": ({ header, claims }) =>
    `${encodeJwt({ ...header, alg: "ES256" }, claims)}.${encodeBase64url(new Uint8Array(64))}`,
  ...each({ "alg XX256": "XX256", "alg empty": "" }, (alg) => (original) => signWithOwnKey(original, { alg })),
};

/** Signed by an attacker, or changed afterwards. */
export const foreignlySigned: Forgeries = {
  "another key": ({ server, kind, alg, claims, header: { kid } }) =>
    jwtSigner(foreignKeys(String(kid), String(kid)), server.settings)(kind, alg, claims),
  "another key without kid": (original) => signWithFreshKey(original, () => ({ kid: undefined })),
  "one bit changed": async ({ header, claims, sign }) => {
    const input = encodeJwt(header, claims);
    return `${input}.${encodeBase64url((await sign(input)).map((byte, at) => at === 0 ? byte ^ 1 : byte))}`;
  },
  "payload changed": async ({ header, claims, sign }) =>
    `${encodeJwt(header, { ...claims, email_verified: true })}.${
      encodeBase64url(await sign(encodeJwt(header, claims)))
    }`,
  ...each(
    {
      ...named("kid ", ["unpublished-key", "../../../../dev/null", "' OR '1'='1"]),
      "kid of 10 KiB": "k".repeat(10_240),
    },
    (kid) => (original) => signWithFreshKey(original, () => ({ kid })),
  ),
};

/** Signed with HMAC, and a secret that an attacker knows. */
export const hmacs: Forgeries = {
  "HMAC with an empty secret": ({ header, claims }) =>
    signWithHmac({ ...header, alg: "HS256" }, claims, new Uint8Array()),
  ...each(named("HMAC with the public key as ", publicKeyForms), (form) => async (original) =>
    await signWithHmac(
      { ...original.header, alg: "HS256" },
      original.claims,
      await publicKeySecret(original, form),
    )),
};

/** Signed with a key of an attacker, which the header brings or names. */
export const keysInHeader: Forgeries = {
  "jwk": (original) => signWithFreshKey(original, (jwk) => ({ kid: "attacker", jwk })),
  "jwk under the kid of the server": (original) =>
    signWithFreshKey(original, (jwk) => ({ kid: original.header.kid, jwk })),
  "x5c": signWithCertificate,
  ...each(
    named("a URL in ", ["jku", "x5u", "kid"]),
    (name) => (original, { trap }) =>
      signWithFreshKey(original, () => ({ kid: "attacker", [name.split(" ").at(-1)!]: `${trap.origin}/keys` })),
  ),
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

/** Every forgery of a signature. */
export const forgedSignatures: Forgeries = { ...unsigned, ...foreignlySigned, ...hmacs, ...keysInHeader };

/** An attack with some forgeries in place of one kind of JWT. Default: the ID token. */
export function forgeryAttack(
  source: Omit<AttackSource<readonly []>, "parameters" | "once" | "always" | "start" | "perform">,
  forgeries: Forgeries,
  kind?: JwtKind,
): Attack {
  return defineAttack({
    ...source,
    ...oneOf("how", Object.keys(forgeries), "How it is forged."),
    once: ({ how }, stage) => forgeJwt("forged JWT", (original) => forgeries[how]!(original, stage), kind),
  });
}

const certificate =
  "MIIBIjCByaADAgECAgEBMAoGCCqGSM49BAMCMBsxGTAXBgNVBAMMEGF0dGFja2VyLmV4YW1wbGUwHhcNMjQwMTAxMDAwMDAwWhcNNDkwMTAxMDAw" +
  "MDAwWjAbMRkwFwYDVQQDDBBhdHRhY2tlci5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEad32sv6OoZ55EHarJr40zta52aUvkaVF" +
  "Pm2LhI6Ovy2UH7QvLx0mrnxoxeZ/ic2/52YFvMg4nQG39PZrf0ZjUzAKBggqhkjOPQQDAgNIADBFAiAl8qgobLv3fTudxi75EcSJ7yPJbjnfSHIb" +
  "oRvNZZo89AIhAL8tqjeb7AKrNPbAKgRa3wo8Vrl8MSi0I7sZNeT+1ji/";

/** A public test key: every reader of this file can sign with it. */
const key = {
  ...{ kty: "EC", crv: "P-256", d: "aDmMg1ztQxjrgv_YKKhYGOzyJowD-XGaC5iHsLLs6_s" },
  x: "ad32sv6OoZ55EHarJr40zta52aUvkaVFPm2LhI6Ovy0",
  y: "lB-0Ly8dJq58aMXmf4nNv-dmBbzIOJ0Bt_T2a39GY1M",
};

/** A JWS whose certificate is in the header parameter `x5c` (RFC 7515 §4.1.6). */
async function signWithCertificate({ header, claims }: Original): Promise<string> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const privateKey = await crypto.subtle.importKey("jwk", key, algorithm, false, ["sign"]);
  const input = encodeJwt({ ...header, alg: "ES256", x5c: [certificate] }, claims);
  return `${input}.${
    encodeBase64url(new Uint8Array(await crypto.subtle.sign(algorithm, privateKey, new TextEncoder().encode(input))))
  }`;
}
