/** A provider of plain OAuth 2.0, played by settings: its paths, and userinfo without `openid` (groups MD, US). */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import type { User } from "../../src/mod.ts";
import { forEachCase } from "../kit.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";

const provider = {
  scopes: ["identify", "email", "guilds"],
  claims: { identify: ["id", "username"] },
  paths: {
    authorization_endpoint: "/oauth2/authorize",
    token_endpoint: "/api/oauth2/token",
    userinfo_endpoint: "/api/users/@me",
  },
  users: [{ sub: "80351", id: "80351", username: "ada", email: "ada@example.com", email_verified: true } as User],
};

test("[MD-11, US-03] a server without the scope value openid shows a user what the scope of the token releases", async () => {
  await using as = await testLatchkey(provider);
  const client = as.client({ confidential: true, grant_types: ["authorization_code", "client_credentials"] });
  const me = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await as.fetch(`${as.issuer}/api/users/@me`, { headers });
    return [response.status, await response.json()];
  };
  await forEachCase<[string, object]>([
    ["identify", { sub: "80351", id: "80351", username: "ada" }],
    ["identify email", { sub: "80351", id: "80351", username: "ada", email: "ada@example.com", email_verified: true }],
    ["guilds", { sub: "80351" }],
  ], async ([scope, members]) => {
    const { tokens } = await as.logIn(client, { scope });
    assertEquals(await me(tokens.access_token), [200, members]);
  });
  const machine = await as.token(client, { grant_type: "client_credentials", scope: "guilds" });
  assertEquals((await me(machine.access_token))[0], 403);
  assertEquals((await me("x"))[0], 401);
  const metadata = await (await as.fetch(`${as.issuer}/.well-known/oauth-authorization-server`)).json();
  assertEquals(metadata.userinfo_endpoint, `${as.issuer}/api/users/@me`);
});

test("[US-03] a server with openid requires it", async () => {
  await using as = await testLatchkey({ ...provider, scopes: ["openid", ...provider.scopes] });
  const { tokens } = await as.logIn(as.client(), { scope: "identify" });
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  assertEquals((await as.fetch(`${as.issuer}/api/users/@me`, { headers })).status, 403);
});
