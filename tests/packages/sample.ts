/** The sample suite: what a user of the mock writes, as plain functions, so that every test runner can run it. */

import assert from "node:assert/strict";
import { extensions, latchkey } from "@latchkey/latchkey";
import type { Extension } from "@latchkey/latchkey/extension";
import type { Store } from "@latchkey/latchkey/stores";
import { sqliteStore } from "@latchkey/latchkey/stores/sqlite";
import { faults, LoginError, testLatchkey } from "@latchkey/latchkey/testing";
import type { Fault } from "@latchkey/latchkey/testing";

/** A tiny client under test: it identifies the user, and refreshes its token once after a rejection. */
async function whoAmI(
  fetch: typeof globalThis.fetch,
  issuer: string,
  session: { accessToken: string; refreshToken: string; clientId: string },
): Promise<string> {
  const ask = () => fetch(`${issuer}/oauth2/userinfo`, { headers: { authorization: `Bearer ${session.accessToken}` } });
  let response = await ask();
  if (response.status === 401) {
    const body = new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: session.refreshToken,
      client_id: session.clientId,
    });
    const result = await (await fetch(`${issuer}/oauth2/token`, { method: "POST", body })).json();
    if (result.error !== undefined) throw new Error(`log in again: ${result.error}`);
    session.accessToken = result.access_token;
    session.refreshToken = result.refresh_token;
    response = await ask();
  }
  return (await response.json()).sub;
}

/** By name. */
export const checks: Readonly<Record<string, () => Promise<void>>> = {
  async "a whole login is one call"() {
    const as = await testLatchkey();
    const { tokens, claims } = await as.logIn(as.client());
    assert.equal(claims?.sub, "alice");
    assert.equal(tokens.token_type, "Bearer");
    as.log.expect("token").called(1).succeeded();
    await as.close();
  },

  async "an expired access token is refreshed"() {
    const as = await testLatchkey();
    const client = as.client();
    const { tokens } = await as.logIn(client);
    as.clock.advance(tokens.expires_in);
    const session = {
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token!,
      clientId: client.client_id,
    };
    assert.equal(await whoAmI(as.fetch as typeof fetch, as.issuer, session), "alice");
    assert.notEqual(session.refreshToken, tokens.refresh_token);
    await as.close();
  },

  async "a grant that is over means logging in again"() {
    const as = await testLatchkey();
    const client = as.client();
    const { tokens } = await as.logIn(client);
    as.clock.advance(tokens.expires_in);
    as.on("token", { grant_type: "refresh_token" }).once(faults.error("invalid_grant"));
    const session = {
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token!,
      clientId: client.client_id,
    };
    await assert.rejects(whoAmI(as.fetch as typeof fetch, as.issuer, session), /log in again: invalid_grant/);
    await as.close();
  },

  async "a client error is rejected with a precise reason"() {
    const as = await testLatchkey();
    const error = await as.logIn(as.client(), { token: { code_verifier: "A".repeat(43) } }).catch((thrown) => thrown);
    assert.ok(error instanceof LoginError);
    assert.match(error.message, /PK-09/);
    as.log.expect("token").rejected("invalid_grant");
    await as.close();
  },

  async "a user who denies"() {
    const as = await testLatchkey();
    as.decisions.deny("alice");
    const error = await as.logIn(as.client()).catch((thrown) => thrown);
    assert.ok(error instanceof LoginError);
    assert.equal(error.error, "access_denied");
    await as.close();
  },

  async "many servers side by side know nothing of each other"() {
    const servers = await Promise.all(Array.from({ length: 20 }, () => testLatchkey()));
    const subs = await Promise.all(servers.map(async (as, i) => {
      as.users.set({ sub: `user-${i}` });
      as.decisions.loginNext(`user-${i}`);
      return (await as.logIn(as.client())).claims?.sub;
    }));
    assert.deepEqual(subs, servers.map((_, i) => `user-${i}`));
    for (const as of servers) await as.close();
  },

  async "the global fetch, for this issuer alone"() {
    const as = await testLatchkey();
    const installed = as.installFetch();
    const metadata = await (await fetch(`${as.issuer}/.well-known/openid-configuration`)).json();
    assert.equal(metadata.issuer, as.issuer);
    installed[Symbol.dispose]();
    await as.close();
  },

  async "a real port, and a connection that breaks"() {
    const as = await testLatchkey();
    await as.listen();
    assert.equal((await fetch(`${as.issuer}/oauth2/jwks`)).status, 200);
    // Always, because some runtimes ask a second time by themselves.
    as.on("jwks").always(faults.drop());
    await assert.rejects(async () => await (await fetch(`${as.issuer}/oauth2/jwks`)).text());
    await as.close();
  },

  async "a seed makes everything the same again"() {
    const tokens = await Promise.all([1, 2].map(async () => {
      const as = await testLatchkey({ seed: "sample" });
      const { tokens } = await as.logIn(as.client());
      await as.close();
      return tokens;
    }));
    assert.deepEqual(tokens[0], tokens[1]);
  },

  async "a fault of one's own"() {
    const as = await testLatchkey();
    const nameless: Fault = {
      name: "users without names",
      extend: (server) => ({ ...server, users: { ...server.users, find: (sub) => ({ sub }) } }),
    };
    as.on("userinfo").once(nameless);
    const { tokens } = await as.logIn(as.client());
    const ask = () => as.fetch("/oauth2/userinfo", { headers: { authorization: `Bearer ${tokens.access_token}` } });
    assert.equal((await (await ask()).json()).name, undefined);
    assert.equal((await (await ask()).json()).name, "Alice Adams");
    await as.close();
  },

  async "the server itself, with a store and an extension of its own"() {
    const store: Store = await sqliteStore(":memory:");
    const policy: Extension = {
      name: "policy",
      metadata: () => ({ op_policy_uri: "https://as.example/policy" }),
    };
    const as = await latchkey({ store, extensions: [...extensions, policy] });
    const response = await as.fetch(new Request(`${as.issuer}/.well-known/openid-configuration`));
    const { issuer, op_policy_uri } = await response.json();
    assert.deepEqual([issuer, op_policy_uri], [as.issuer, "https://as.example/policy"]);
    await as.close();
  },
};
