/**
 * FAPI 2.0 with mutual TLS instead of client assertions and DPoP (groups FS and MT).
 *
 * @extensions all
 */

import { assertEquals, assertMatch } from "@std/assert";
import { X509Certificate } from "node:crypto";
import { test } from "node:test";
import type { ClientMetadata, ProfileName } from "../../../../src/mod.ts";
import { tokenProof } from "../../client_jwts.ts";
import { bank, bankKey, dpopKey, fapiServer, publicKeys, redirectUri, request, signed } from "../../fapi_client.ts";
import { decodeClaims, encode, type Fields, getRedirectParams, type TestServer, verifier } from "../../../kit.ts";
import { authority, issued, issuedToOther, selfSigned } from "./certificates.ts";

const now = Date.UTC(2027, 0, 1);
const times = { iat: now / 1000, nbf: now / 1000, exp: now / 1000 + 60 };

/** The members of the client for each method, and its certificate. */
const methods = {
  tls_client_auth: { certificate: issued, members: { tls_client_auth_san_dns: "client.test" } },
  self_signed_tls_client_auth: { certificate: selfSigned, members: {} },
} as const;

type Method = keyof typeof methods;

function server(profile: ProfileName, method: Method, isBound: boolean): Promise<TestServer> {
  const x5c = [new X509Certificate(selfSigned).raw.toString("base64")];
  const client: ClientMetadata = {
    ...bank,
    token_endpoint_auth_method: method,
    tls_client_certificate_bound_access_tokens: isBound,
    jwks: { keys: [...publicKeys(bankKey).keys, { kty: "EC", x5c }] },
    ...methods[method].members,
  };
  return fapiServer({ now: () => now, mutualTls: { authorities: [authority] }, clients: [client] }, profile);
}

/** POST of a form without an assertion. @returns Its status and body. */
async function post(
  { as }: TestServer,
  name: string,
  fields: Fields,
  certificate: string | undefined,
  headers: HeadersInit = {},
): Promise<{ readonly status: number; readonly body: Record<string, string> }> {
  const sent = { client_id: "bank", ...fields, client_assertion: undefined, client_assertion_type: undefined };
  const init = {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: encode(sent),
  };
  const response = await as.fetch(new Request(`${as.issuer}/oauth2/${name}`, init), { certificate });
  const text = await response.text();
  return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
}

for (const profile of ["fapi2-security", "fapi2-message-signing"] as const) {
  for (const method of ["tls_client_auth", "self_signed_tls_client_auth"] as const) {
    test(`[FS-01, FS-03, FS-04, FS-05, MT-05] ${profile}: a whole flow by ${method}, bound to the certificate or by DPoP`, async () => {
      const { certificate } = methods[method];
      for (const isBound of [true, false]) {
        const b = await server(profile, method, isBound);
        const metadata = await (await b.get("/.well-known/openid-configuration")).json();
        for (const endpoint of ["token", "revocation", "introspection"]) {
          assertEquals(metadata[`${endpoint}_endpoint_auth_methods_supported`].sort(), [
            "private_key_jwt",
            "self_signed_tls_client_auth",
            "tls_client_auth",
          ]);
        }
        const pushed = profile === "fapi2-security" ? request : await signed(times);
        for (const other of [undefined, issuedToOther]) {
          assertEquals((await post(b, "par", pushed, other)).body.error, "invalid_client");
        }
        const { body: { request_uri } } = await post(b, "par", pushed, certificate);
        const query = new URLSearchParams({ client_id: "bank", request_uri: request_uri! });
        const params = getRedirectParams(await b.get(`/oauth2/authorize?${query}`));
        const code = params.get("code") ?? decodeClaims(params.get("response")!).code as string;
        const exchange = { grant_type: "authorization_code", redirect_uri: redirectUri, code_verifier: verifier, code };
        const headers = async (): Promise<HeadersInit> => isBound ? {} : await tokenProof(dpopKey, {}, now / 1000);
        assertEquals((await post(b, "token", exchange, undefined, await headers())).body.error, "invalid_client");
        if (!isBound) assertEquals((await post(b, "token", exchange, certificate)).body.error, "invalid_dpop_proof");
        const { body: tokens } = await post(b, "token", exchange, certificate, await headers());
        assertEquals(tokens.token_type, isBound ? "Bearer" : "DPoP");
        const { cnf } = decodeClaims(tokens.access_token!) as { cnf: object };
        assertEquals(Object.keys(cnf), [isBound ? "x5t#S256" : "jkt"]);
        const { refresh_token } = tokens;
        const refresh = { grant_type: "refresh_token", refresh_token };
        assertEquals((await post(b, "token", refresh, undefined, await headers())).body.error, "invalid_client");
        const { body: refreshed } = await post(b, "token", refresh, certificate, await headers());
        assertEquals(refreshed.token_type, tokens.token_type);
        for (const name of ["introspect", "revoke"]) {
          const fields = { token: refreshed.access_token };
          assertEquals((await post(b, name, fields, undefined)).body.error, "invalid_client");
          assertEquals((await post(b, name, fields, certificate)).status, 200);
        }
        if (!isBound) continue;
        const userinfo = async (presented: string | undefined) => {
          const bearer = { authorization: `Bearer ${tokens.access_token}` };
          const url = new Request(`${b.as.issuer}/oauth2/userinfo`, { headers: bearer });
          return (await b.as.fetch(url, { certificate: presented })).status;
        };
        assertEquals([await userinfo(certificate), await userinfo(undefined), await userinfo(issuedToOther)], [
          ...[200, 401, 401],
        ]);
      }
    });
  }

  test(`[FS-03] ${profile}: without mutualTls, private_key_jwt is the only method`, async () => {
    const b = await fapiServer({}, profile);
    const metadata = await (await b.get("/.well-known/openid-configuration")).json();
    assertEquals(metadata.token_endpoint_auth_methods_supported, ["private_key_jwt"]);
    assertMatch(JSON.stringify(metadata), /^(?!.*mtls_endpoint_aliases)/);
  });
}
