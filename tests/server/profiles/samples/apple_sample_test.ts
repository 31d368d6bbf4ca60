/** Sign in with Apple at the real origin, as Apple's pages describe it, which has no official client for a server. */

import { assertEquals, assertRejects } from "@std/assert";
import { createRemoteJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from "jose";
import { testLatchkey } from "../../../testing/test_latchkey.ts";
import { redirectUri, secret } from "../provider_server.ts";
import { testSample } from "./sample.ts";

const issuer = "https://appleid.apple.com";
const client_id = "com.example.web";

testSample(
  "apple",
  "the requests of its documentation, jose",
  "https://developer.apple.com/documentation/signinwithapplerestapi",
  async (step) => {
    const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
    const kid = "ABC123DEFG";
    await using as = await testLatchkey({
      profile: "apple",
      clients: [{
        ...{ client_id, client_secret: secret, token_endpoint_auth_method: "client_secret_post" },
        ...{ redirect_uris: [redirectUri], jwks: { keys: [{ ...await exportJWK(publicKey), kid, alg: "ES256" }] } },
        grant_types: ["authorization_code", "refresh_token"],
      }],
      users: [{
        ...{ sub: "001234.0123456789abcdef0123456789abcdef.1234", given_name: "Alice", family_name: "Adams" },
        ...{ email: "alice@privaterelay.appleid.com", email_verified: true },
      }],
    });
    using _ = as.installFetch({ origins: "real" });

    // https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret
    const signSecret = async () =>
      await new SignJWT().setProtectedHeader({ alg: "ES256", kid }).setIssuer("TEAM123456").setSubject(client_id)
        .setAudience(issuer).setIssuedAt().setExpirationTime("5 minutes").sign(privateKey);
    const post = async (path: string, fields: Readonly<Record<string, string>>) =>
      await fetch(issuer + path, {
        method: "POST",
        body: new URLSearchParams({ client_id, client_secret: await signSecret(), ...fields }),
      });
    // https://developer.apple.com/documentation/signinwithapplejs/incorporating-sign-in-with-apple-into-other-platforms
    const visit = async (nonce: string) => {
      const query = { response_type: "code", response_mode: "form_post", client_id, redirect_uri: redirectUri };
      const { method, params } = await as.browser().authorize(
        `${issuer}/auth/authorize?${new URLSearchParams({ ...query, scope: "name email", state: "st4te", nonce })}`,
      );
      assertEquals([method, params.get("state")], ["POST", "st4te"]);
      return params;
    };
    // https://developer.apple.com/documentation/signinwithapplerestapi/generate-and-validate-tokens
    const exchange = async (code: string) => {
      const fields = { grant_type: "authorization_code", code, redirect_uri: redirectUri };
      return await (await post("/auth/token", fields)).json();
    };

    const tokens = await step("log in", async () => {
      const first = await visit("n0nce");
      assertEquals(JSON.parse(first.get("user")!).name, { firstName: "Alice", lastName: "Adams" });
      const later = await visit("other");
      assertEquals(later.get("user"), null);
      return await exchange(first.get("code")!);
    });
    step("second scope, silently", "Apple has the scope values name and email alone, and a page for every login");
    // https://developer.apple.com/documentation/signinwithapplerestapi/verifying-a-user
    await step("API verifies the token", async () => {
      const keys = createRemoteJWKSet(new URL(`${issuer}/auth/keys`));
      const { payload } = await jwtVerify(tokens.id_token, keys, {
        issuer,
        audience: client_id,
        algorithms: ["RS256"],
      });
      assertEquals([payload.nonce, payload.email], ["n0nce", "alice@privaterelay.appleid.com"]);
      await assertRejects(() => jwtVerify(tokens.id_token, keys, { issuer, audience: "com.example.other" }));
      const refreshed = await post("/auth/token", { grant_type: "refresh_token", refresh_token: tokens.refresh_token });
      assertEquals(refreshed.status, 200);
    });
    // Apple has no logout: https://developer.apple.com/documentation/signinwithapplerestapi/revoke-tokens
    await step("log out", async () => {
      const { refresh_token } = tokens;
      const revoked = await post("/auth/revoke", { token: refresh_token, token_type_hint: "refresh_token" });
      assertEquals(revoked.status, 200);
      const refreshed = await post("/auth/token", { grant_type: "refresh_token", refresh_token });
      assertEquals((await refreshed.json()).error, "invalid_grant");
    });
  },
);
