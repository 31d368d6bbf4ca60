/** Attempts at the algorithms for encrypted responses that metadata lists. */

import { assertEquals, assertThrows } from "@std/assert";
import { decodeProtectedHeader, exportJWK } from "jose";
import { ConfigurationError } from "../../../../src/mod.ts";
import { encode, getRedirectParams, goodRequest, type TestServer, verifier } from "../../../kit.ts";
import { clientKeyPair } from "../../../rsa_keys.ts";
import type { ExtensionAttempts } from "../metadata_attempts.ts";

const keys = await Promise.all(
  ["RSA-OAEP-256", "ECDH-ES"].map(async (alg) =>
    await exportJWK((await clientKeyPair(alg)).publicKey) as Record<string, unknown>
  ),
);

type Members = Readonly<Record<string, unknown>>;

/** The header of a response to a client that is registered with these members. */
async function headerOf(
  b: TestServer,
  { authorization_endpoint, token_endpoint, userinfo_endpoint }: Members,
  response: "id_token" | "userinfo",
  members: Members,
): Promise<Members> {
  const redirect_uri = "https://encrypted.example/cb";
  const client = { client_id: "encrypted", token_endpoint_auth_method: "none" as const, jwks: { keys } };
  b.as.clients.set({ ...client, redirect_uris: [redirect_uri], ...members });
  const fetch = (url: unknown, init?: RequestInit) => b.as.fetch(new Request(String(url), init));
  const request = encode({ ...goodRequest, client_id: "encrypted", redirect_uri });
  const code = getRedirectParams(await fetch(`${authorization_endpoint}?${request}`)).get("code")!;
  const body = new URLSearchParams({
    ...{ grant_type: "authorization_code", client_id: "encrypted", redirect_uri, code, code_verifier: verifier },
  });
  const tokens = await (await fetch(token_endpoint, { method: "POST", body })).json();
  if (response === "id_token") return decodeProtectedHeader(tokens.id_token);
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  return decodeProtectedHeader(await (await fetch(userinfo_endpoint, { headers })).text());
}

/** Tries each listed value of a member of client metadata, and some that are not listed. */
const attempt = (response: "id_token" | "userinfo", parameter: "alg" | "enc", unlisted: readonly string[]) => {
  const name = `${response}_encrypted_response_${parameter}`;
  const registered = { [`${response}_encrypted_response_alg`]: "ECDH-ES" };
  return async (b: TestServer, metadata: Members, listed: readonly string[]) => {
    for (const value of listed) {
      assertEquals((await headerOf(b, metadata, response, { ...registered, [name]: value }))[parameter], value);
    }
    for (const value of unlisted) {
      const members = { client_id: "encrypted", redirect_uris: [], jwks: { keys }, ...registered, [name]: value };
      assertThrows(() => b.as.clients.set(members), ConfigurationError, name);
    }
  };
};

const algorithms = ["RSA1_5", "RSA-OAEP", "dir", "A128KW", "none"];

/** Attempts at encrypted responses. */
export const encryptionAttempts: ExtensionAttempts = {
  metadata: {
    id_token_encryption_alg_values_supported: attempt("id_token", "alg", algorithms),
    id_token_encryption_enc_values_supported: attempt("id_token", "enc", ["A192GCM", "none"]),
    userinfo_encryption_alg_values_supported: attempt("userinfo", "alg", algorithms),
    userinfo_encryption_enc_values_supported: attempt("userinfo", "enc", ["A192GCM", "none"]),
  },
};
