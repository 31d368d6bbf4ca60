/** A certificate of an attacker: self-signed, of a P-256 key, valid until 2049 (RFC 5280 §4.1). */

import { encodeBase64url } from "../../core/crypto.ts";
import { encodeJwt } from "../../testing/faults/resign.ts";
import type { Original } from "./forged_jwt.ts";

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
export async function signWithCertificate({ header, claims }: Original): Promise<string> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const privateKey = await crypto.subtle.importKey("jwk", key, algorithm, false, ["sign"]);
  const input = encodeJwt({ ...header, alg: "ES256", x5c: [certificate] }, claims);
  return `${input}.${
    encodeBase64url(new Uint8Array(await crypto.subtle.sign(algorithm, privateKey, new TextEncoder().encode(input))))
  }`;
}
