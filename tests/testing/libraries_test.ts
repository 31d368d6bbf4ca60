/** A client library with the fetch of the mock; `library_logins.ts` has a login of each. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import * as openid from "openid-client";
import { testLatchkey } from "./test_latchkey.ts";

test("[CL-03, CL-06, CL-12] openid-client receives all claims of the README's user: in userinfo, ID token and access token", async () => {
  await using as = await testLatchkey({ idTokenClaims: "like-userinfo", accessTokenClaims: ["roles"] });
  as.users.set({ sub: "carol", name: "Carol", roles: ["admin"] });
  const { client_id, client_secret, redirect_uri } = as.client({ confidential: true });
  const config = await openid.discovery(
    new URL(as.issuer),
    client_id,
    undefined,
    openid.ClientSecretBasic(client_secret),
    {
      [openid.customFetch]: as.fetch as openid.CustomFetch,
    },
  );
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri,
    scope: "openid profile",
    login_hint: "carol",
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  const callback = await as.browser().authorize(url);
  const tokens = await openid.authorizationCodeGrant(config, new URL(callback.url), { pkceCodeVerifier });
  const carol = { sub: "carol", name: "Carol", roles: ["admin"] };
  assertEquals<object>(await openid.fetchUserInfo(config, tokens.access_token, "carol"), carol);
  // What libraries that never call userinfo show of the user, such as express-openid-connect.
  const { name, roles } = tokens.claims()!;
  assertEquals([name, roles], [carol.name, carol.roles]);
  const { active, sub, roles: inAccessToken } = await openid.tokenIntrospection(config, tokens.access_token);
  assertEquals([active, sub, inAccessToken], [true, "carol", ["admin"]]);
});
