/** The providers that better-auth has itself, at their real origins: nothing of them is changed. */

import { assertEquals } from "@std/assert";
import type { BetterAuthOptions } from "better-auth";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { test } from "node:test";
import type { TestLatchkeyOptions } from "../../../src/testing/mod.ts";
import { forEachCase } from "../../kit.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { loginWithOwnProvider } from "./better_auth_application.ts";
import { secret } from "./provider_server.ts";

type Providers = NonNullable<BetterAuthOptions["socialProviders"]>;

const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
const jwk = { ...await exportJWK(publicKey), kid: "ABC123DEFG", alg: "ES256" };
const appleSecret = await new SignJWT({ iss: "TEAM123456", sub: "web", aud: "https://appleid.apple.com" })
  .setProtectedHeader({ alg: "ES256", kid: jwk.kid }).setIssuedAt().setExpirationTime("1h").sign(privateKey);
const web = { clientId: "web", clientSecret: secret };
const pool = { region: "us-east-1", userPoolId: "us-east-1_example" };

const cases: [TestLatchkeyOptions["profile"], Providers, client?: object][] = [
  ["google", { google: web }],
  ["github", { github: web }],
  ["entra", { microsoft: { ...web, disableProfilePhoto: true } }],
  ["cognito", { cognito: { ...web, ...pool, domain: "mydomain.auth.us-east-1.amazoncognito.com" } }],
  ["apple", { apple: { ...web, clientSecret: appleSecret } }, {
    ...{ jwks: { keys: [jwk] }, token_endpoint_auth_method: "client_secret_post" },
    ...{ response_types: ["code", "code id_token"], grant_types: ["authorization_code", "implicit"] },
  }],
];

test("better-auth logs in with its own providers", async () => {
  await forEachCase(cases, async ([profile, providers, client]) => {
    await using as = await testLatchkey({
      profile,
      clients: [{
        ...{ client_id: "web", client_secret: secret },
        redirect_uris: [`https://app.example/api/auth/callback/${Object.keys(providers)[0]}`],
        grant_types: ["authorization_code", "refresh_token"],
        ...client,
      }],
      users: [{
        ...{ sub: "110169484474386276334", preferred_username: "alice", name: "Alice Adams", given_name: "Alice" },
        ...{ family_name: "Adams", email: "alice@app.example", email_verified: true },
      }],
    });
    using _ = as.installFetch({ origins: "real" });
    const user = await loginWithOwnProvider(providers);
    assertEquals([user.name, user.email], ["Alice Adams", "alice@app.example"]);
  });
});
