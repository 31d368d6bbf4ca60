/**
 * The forged JWTs: every signature, header and form that a verifier must reject (RFC 7515, RFC 8725), in each message
 * that is a JWT. Each differs from the JWT of the server in one property, so that only the check of it stops the JWT.
 */

import type { SigningAlgorithm } from "../../core/keys/signing_algorithm.ts";
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

/** Forgeries by name. */
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
  ...each(named("HMAC with the public key as ", publicKeyForms), (form) => async (original) =>
    await signWithHmac(
      { ...original.header, alg: "HS256" },
      original.claims,
      await publicKeySecret(original, form),
    )),
};

/** A key ID of the form of the server's, which no published key has. */
const unknownKid = (kid: unknown) => String(kid).replace(/^./, (char) => char === "x" ? "y" : "x");

/** Signed with a key of an attacker, which the header brings or names. */
export const keysInHeader: Forgeries = {
  "jwk": (original) => signWithForeignKey(original, (jwk) => ({ kid: unknownKid(original.header.kid), jwk })),
  "jwk under the kid of the server": (original) => signWithForeignKey(original, (jwk) => ({ jwk })),
  "x5c": (original) => {
    const certificate = certificates[original.alg];
    return signWithForeignKey(original, () => ({ x5c: certificate && [certificate] }));
  },
  ...each(
    named("a URL in ", ["jku", "x5u", "kid"]),
    (name) => (original, { trap }) =>
      signWithForeignKey(original, () => ({
        kid: unknownKid(original.header.kid),
        [name.split(" ").at(-1)!]: `${trap.origin}/keys`,
      })),
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

/** One forgery of each kind, for a message that few clients read. */
export const oneOfEachSignature: Forgeries = Object.fromEntries(
  [unsignedForgeries, foreignlySigned, hmacs, keysInHeader].map((kind) => Object.entries(kind)[0]!),
);

/** Every forgery of a signature. */
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

/** Self-signed certificates of the keys with which {@link signWithForeignKey} signs. */
const certificates: Partial<Readonly<Record<SigningAlgorithm, string>>> = {
  RS256:
    "MIICrDCCAZQCAQEwDQYJKoZIhvcNAQELBQAwGzEZMBcGA1UEAwwQYXR0YWNrZXIuZXhhbXBsZTAgFw0yNjExMjgxMDE0MjZaGA8yMDUxMDcy" +
    "MDEwMTQyNlowGzEZMBcGA1UEAwwQYXR0YWNrZXIuZXhhbXBsZTCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBAKI0lxtgy07ia1yc" +
    "e81ozQyzEiXmNdALgJ/+IMWWy1sAVl9PBiX0dVPSrdmziBaLPqohlmDxW75a85yVnmP0d+nwhaSNNjX8VQvMurV5V82+xWSYT3ESgCA6g6wR" +
    "ldKKDC0M8u427XedP470iK3gl3cLszDV0hJfHkUDWD4SaT6zFmeX+sVBmcVeRIVGUMopl5rWnJYNQnTGfVEEHO6ePgWUmN+oXc3p/aIdQPPS" +
    "PUFCjbRQkWUhuDNZx5Srb9Ch8utE4WSs/6o9gPlwgQRJjpv/j6iAQBn8YWw7LiyxMBYtZdltVTDD0uMmhe3oYpULoZnjqghjcFPcuKu/JT3O" +
    "2ekCAwEAATANBgkqhkiG9w0BAQsFAAOCAQEAGQ0CWXmWXkGfXG3sR085jAhxJ9sjCfc26E94tnHnWFbhDnu95O0teEPNl2yGGqNyu4xJcb0Q" +
    "Fes/AT9ei1TGDDZ/BE0+iR7YyfRAj+r4GhrUbVMXrLCzAWoBvMXd5tfkwOJ0zvPKRMDhoARoPgaSFSGEhGoC/9LaDsXlNdSnZEhUfW/sOzNF" +
    "qWHRLT9HtRlAl1nGg/Rs6aG2yGXUL5JDT5LIUCFEKXPLe5TEjhd/4MuM3UVQCXZhoPxgFNahrrqfedP1so6jJNtgKPmbqFpBqaiDsxcS9PjT" +
    "VM55RGSVtTE2M2h+E4JQ1eubSfJBK6woIogQbIxqQETY5plom50PiA==",
  ES256:
    "MIIBHzCBxgIBATAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBBhdHRhY2tlci5leGFtcGxlMCAXDTI2MTEyODEwMTQyN1oYDzIwNTEwNzIwMTAx" +
    "NDI3WjAbMRkwFwYDVQQDDBBhdHRhY2tlci5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE3S2mUHOALIxNOIfJNufD/EaAf3e2" +
    "G5zVjj7i/26Iy0hOFgFMlvGXJW1+9Iai+2WZY7chXolbvljpoeGLby8L0zAKBggqhkjOPQQDAgNIADBFAiEAnkU/dtY2RVeA2UlTB+up7Hat" +
    "5k5PF+VrHIjGY+xS0zUCIANA2ivWA+A6tl3GDlKuUtruHMel036Za+IY1TJjP7+O",
  EdDSA:
    "MIHfMIGSAgEBMAUGAytlcDAbMRkwFwYDVQQDDBBhdHRhY2tlci5leGFtcGxlMCAXDTI2MTEyODEwMTQyN1oYDzIwNTEwNzIwMTAxNDI3WjAb" +
    "MRkwFwYDVQQDDBBhdHRhY2tlci5leGFtcGxlMCowBQYDK2VwAyEATNx0cWbqc+y1jNTB1oC7svvO9om6ttHgNJSs22yG9wYwBQYDK2VwA0EA" +
    "G1jnNxOc9jFdymUbZl5dS8FVnp/glZ34yO4INA3YbIS75Fv3A1uqcBxeF7+N3T4FUVykyFd1VrHA/cDK0k5qBQ==",
  Ed25519:
    "MIHfMIGSAgEBMAUGAytlcDAbMRkwFwYDVQQDDBBhdHRhY2tlci5leGFtcGxlMCAXDTI2MTEyODEwMTQyOFoYDzIwNTEwNzIwMTAxNDI4WjAb" +
    "MRkwFwYDVQQDDBBhdHRhY2tlci5leGFtcGxlMCowBQYDK2VwAyEAO5uKYWF9FWf4micN/WJf4Bq6ztMozu2kq6ATUhtWSscwBQYDK2VwA0EA" +
    "ZKm4VCUY2xrrQkqGc7ExiV9tsMS2I9gjYNu22S5rJlQPjR8Cya81DixTpE/SRf5yiQZNhIlOQGA7GhCruzhZCw==",
};
