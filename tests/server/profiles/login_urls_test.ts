/** URLs of a provider's API that applications call after a login: served from the user, or the provider's own 404. */

import { assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import type { ProviderName } from "../../../src/server/config/provider_profile.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { redirectUri as redirect_uri } from "./provider_server.ts";

const alice = {
  ...{ sub: "alice", name: "Alice Adams", given_name: "Alice", email: "alice@app.example", email_verified: true },
  ...{ orgs: ["acme"], groups: ["acme/admins", "staff"] },
};

interface LoginUrls {
  readonly scope: string;
  /** The member or text that each response has. */
  readonly served: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly unserved: readonly string[];
  /** The body of the 404. */
  readonly body: RegExp;
}

const googleUser = { id: "alice", email: "alice@app.example", verified_email: true, name: "Alice Adams" };
const google: LoginUrls = {
  scope: "openid email profile",
  served: {
    "/oauth2/v1/userinfo": googleUser,
    "/oauth2/v2/userinfo": googleUser,
    "/oauth2/v3/userinfo": { sub: "alice", email_verified: true },
    "/oauth2/v1/tokeninfo?access_token=TOKEN": { audience: "web", user_id: "alice", verified_email: true },
    "/oauth2/v2/tokeninfo?access_token=TOKEN": { issued_to: "web", email: "alice@app.example" },
    "/oauth2/v3/tokeninfo?access_token=TOKEN": { aud: "web", email_verified: "true" },
  },
  unserved: ["/oauth2/v2/other"],
  body: /^\{"error":\{"code":404,"message":"[^"]+","status":"NOT_FOUND"\}\}$/,
};
const github: LoginUrls = {
  scope: "read:org user:email",
  served: {
    "/user": { login: "alice" },
    "/user/emails": { email: "alice@app.example", primary: true },
    "/user/orgs": { login: "acme" },
    "/api/v3/user/orgs": { login: "acme" },
    "/user/teams": { slug: "admins", name: "admins" },
  },
  unserved: [
    "/user/repos",
    "/user/memberships/orgs",
    "/orgs/acme/members/alice",
    "/repos/acme/shop",
    "/api/v3/rate_limit",
  ],
  body: /^\{"message":"Not Found","documentation_url":"[^"]+","status":"404"\}$/,
};
const entra: LoginUrls = {
  scope: "openid profile",
  served: {
    "/v1.0/me": { displayName: "Alice Adams" },
    "/v1.0/me/memberOf": { "@odata.type": "#microsoft.graph.group", displayName: "acme/admins" },
    "/v1.0/me/transitiveMemberOf": { displayName: "acme/admins" },
  },
  unserved: ["/v1.0/me/photo/$value", "/v1.0/me/photos/48x48/$value", "/v1.0/organization", "/beta/me"],
  body: /^\{"error":\{"code":"ResourceNotFound","message":"[^"]+"\}\}$/,
};
const urls: readonly (readonly [ProviderName, LoginUrls])[] = [
  ["google", google],
  ["google@2025", google],
  ["github", github],
  ["github@2025", github],
  ["entra", entra],
];

test("URLs that logins call are served from the user, or get the provider's own 404 with its reason in the log", async () => {
  for (const [profile, { scope, served, unserved, body }] of urls) {
    await using as = await testLatchkey({
      profile,
      clients: [{
        client_id: "web",
        client_secret: "a-secret-of-32-characters-or-more",
        redirect_uris: [redirect_uri],
      }],
      users: [alice],
    });
    const token = await as.mint.accessToken({ scope });
    const { origin } = new URL(as.issuer);
    const get = async (path: string, headers: Record<string, string> = { authorization: `Bearer ${token}` }) => {
      const response = await as.fetch(origin + path.replace("TOKEN", token), { headers });
      return { status: response.status, text: await response.text() };
    };
    for (const [path, expected] of Object.entries(served)) {
      const { status, text } = await get(path);
      assertEquals([profile, path, status], [profile, path, 200]);
      const content = JSON.parse(text);
      const first = Array.isArray(content) ? content[0] : content.value?.[0] ?? content;
      assertEquals(Object.fromEntries(Object.keys(expected).map((name) => [name, first[name]])), expected);
      if (!path.includes("TOKEN")) assertEquals([path, (await get(path, {})).status], [path, 401]);
    }
    // A mint may put anything into a token. No response may fail because of it.
    const odd = `Bearer ${await as.mint.accessToken({ scope: `${scope} \x01 \u20ac` })}`;
    for (const path of Object.keys(served)) {
      assertEquals([profile, path, (await get(path, { authorization: odd })).status], [profile, path, 200]);
    }
    for (const path of unserved) {
      const { status, text } = await get(path);
      assertEquals([profile, path, status], [profile, path, 404]);
      assertMatch(text, body);
      const { reason } = as.log.exchanges.at(-1)!.rejection!.explanation;
      assertEquals(reason, `the profile ${profile} does not emulate this API`);
    }
  }
});

test("github: organizations and teams need a scope value, as e-mail addresses do", async () => {
  await using as = await testLatchkey({ profile: "github", users: [alice] });
  const authorization = `token ${await as.mint.accessToken({ client: as.client(), scope: "gist" })}`;
  for (const path of ["/user/orgs", "/user/teams", "/user/emails"]) {
    assertEquals((await as.fetch(new URL(path, as.issuer).href, { headers: { authorization } })).status, 404);
  }
});

test("google: a token request may be JSON", async () => {
  await using as = await testLatchkey({ profile: "google", users: [alice] });
  const client = as.client({ confidential: true, redirect_uris: [redirect_uri] });
  const code = await as.mint.code({ client, scope: "openid" });
  const { client_id, client_secret } = client;
  const response = await as.fetch("/token", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ grant_type: "authorization_code", client_id, client_secret, code, redirect_uri }),
  });
  assertEquals([response.status, (await response.json()).token_type], [200, "Bearer"]);
});
