/** Forged JWTs: any header, any payload, and signatures of any key (RFC 7515, RFC 8725). */

import type { JwtKind, SignClaims } from "../../core/keys/jwt.ts";
import type { SigningAlgorithm } from "../../core/keys/signing_algorithm.ts";
import type { Server } from "../../core/server.ts";
import { encodeBase64url } from "../../core/keys/crypto.ts";
import { importJwk } from "../../core/keys/web_keys.ts";
import { publicMembersOf } from "../../core/keys/jwk.ts";
import type { Fault } from "../../testing/faults/fault.ts";
import { type Claims, encodeJwt, resign, type SignedKind } from "../../testing/faults/resign.ts";
import { foreignKeys } from "../../testing/keys.ts";

/** What the server would have signed. */
export interface Original {
  readonly server: Server;
  readonly kind: JwtKind;
  readonly alg: SigningAlgorithm;
  /** The header that the server writes, with the key ID of the current key. */
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Claims;
  /** Signs text with the current key. */
  sign(text: string): Promise<Uint8Array>;
}

const encoder = new TextEncoder();

/** Makes the text that is sent instead of a JWT. */
export type Forge = (original: Original) => string | Promise<string>;

/** A fault that sends another text instead of the ID token, or another JWT of the server. */
export function forgeJwt(name: string, forge: Forge, signedKind?: SignedKind): Fault {
  const sign = (server: Server): SignClaims => async (kind, alg, claims) => {
    const signer = await server.keys.signer(alg);
    return await forge({
      server,
      kind,
      alg,
      claims,
      header: { alg, typ: server.keys.types[kind], kid: signer.kid },
      sign: async (text) => await signer.sign(encoder.encode(text)),
    });
  };
  return resign(name, sign, signedKind);
}

/** A JWS with the signature of the current key, other header parameters, and perhaps another payload. */
export async function signWithOwnKey(
  { sign, header, claims }: Original,
  changes: Claims,
  payload: Claims | string = claims,
): Promise<string> {
  const input = encodeJwt({ ...header, ...changes }, payload);
  return `${input}.${encodeBase64url(await sign(input))}`;
}

/** A JWS with an HMAC (RFC 7518 §3.2). An empty secret is padded as HMAC itself does, because WebCrypto rejects it. */
export async function signWithHmac(
  header: Readonly<Record<string, unknown>>,
  claims: Claims,
  secret: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const bytes = secret.length === 0 ? new Uint8Array(64) : secret;
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const input = encodeJwt(header, claims);
  return `${input}.${encodeBase64url(new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(input))))}`;
}

/** A JWS of the attacker's key for the same algorithm, with other header parameters, such as the public JWK. */
export async function signWithForeignKey(
  { alg, header, claims }: Original,
  changes: (jwk: Claims) => Claims = () => ({}),
): Promise<string> {
  const keys = foreignKeys("attacker", String(header.kid));
  const [{ sign }, [jwk]] = [await keys.signer(alg), await keys.publishedKeys([alg])];
  const input = encodeJwt({ ...header, ...changes(publicMembersOf(jwk!)) }, claims);
  return `${input}.${encodeBase64url(await sign(encoder.encode(input)))}`;
}

/** The forms of a public key that a careless verifier uses as the secret of an HMAC. */
export const publicKeyForms = ["pem", "pem-without-final-newline", "der", "jwk"] as const;

/** The published key of a token in one of these forms. */
export async function publicKeySecret(
  { server, alg, header }: Original,
  form: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const published = await server.keys.publishedKeys([alg]);
  const jwk = published.find(({ kid }) => kid === header.kid)!;
  const members = publicMembersOf(jwk);
  const key = await importJwk(alg, members, "verify", true);
  const der = new Uint8Array(await crypto.subtle.exportKey("spki", key));
  const base64 = btoa(String.fromCharCode(...der));
  const pem = `-----BEGIN PUBLIC KEY-----\n${base64.replace(/.{64}/g, "$&\n")}\n-----END PUBLIC KEY-----\n`;
  const texts: Readonly<Record<string, string>> = {
    pem,
    "pem-without-final-newline": pem.trimEnd(),
    jwk: JSON.stringify(members),
  };
  return form === "der" ? der : encoder.encode(texts[form]!);
}
