/** Clients that are registered for encrypted responses. */

import { assertEquals } from "@std/assert";
import { exportJWK, generateKeyPair } from "jose";
import type { ClientMetadata, LatchkeyOptions } from "../../../../src/mod.ts";
import type { KeyManagementAlgorithm } from "../../../../src/server/extensions/encrypted_responses/settings.ts";
import { type TestServer, testServer } from "../../../kit.ts";
import { clientKeyPair } from "../../../rsa_keys.ts";

export type Jwk = Readonly<Record<string, unknown>>;

/** A key pair, whose public part has these members. */
export async function keyPair(alg: string, members: Jwk = {}, crv?: string) {
  const { publicKey, privateKey } = crv === undefined
    ? await clientKeyPair(alg)
    : await generateKeyPair(alg, { crv, extractable: true });
  return { jwk: { ...await exportJWK(publicKey), ...members } as Jwk, privateKey };
}

export const redirectUri = "https://spa.example/cb";
export const rsa = await keyPair("RSA-OAEP-256", { kid: "rsa", use: "enc" });
export const ec = await keyPair("ECDH-ES", { kid: "ec", use: "enc" });
export const keyFor = (alg: string) => alg.startsWith("RSA") ? rsa : ec;

/** The client `spa` with these members. */
export const spa = (members: Partial<ClientMetadata>): ClientMetadata => ({
  client_id: "spa",
  redirect_uris: [redirectUri],
  token_endpoint_auth_method: "none",
  grant_types: ["authorization_code", "refresh_token"],
  ...members,
});

export const encryptedFor = (alg: KeyManagementAlgorithm, members: Partial<ClientMetadata> = {}) =>
  spa({ id_token_encrypted_response_alg: alg, jwks: { keys: [keyFor(alg).jwk] }, ...members });

export const server = (client: ClientMetadata, options: LatchkeyOptions = {}) =>
  testServer({ clients: [client], ...options });

export async function exchange(b: TestServer, scope = "openid read offline_access"): Promise<Record<string, string>> {
  const response = await b.token({ code: await b.code({ scope }) });
  const body = await response.json();
  assertEquals([response.status, body.error], [200, undefined]);
  return body;
}
