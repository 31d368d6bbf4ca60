/** Rich authorization requests in the mock, and with client libraries (group RA). */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import * as openid from "openid-client";
import { testLatchkey } from "./test_latchkey.ts";

const payment = { type: "payment", creditor: "Shop", amount: "12.50" };
const readFiles = { type: "files", actions: ["read"] };

const authorizationDetails = {
  payment: { schema: { properties: { creditor: { type: "string" }, amount: { type: "string" } } } },
  files: { clientsWithoutUser: ["machine"], schema: { properties: { actions: true } } },
};

test("[RA-01, RA-07] as.logIn sends authorizationDetails, and as.decisions limits what a user allows, with and without pages", async () => {
  for (const login of ["auto", "interactive"] as const) {
    await using as = await testLatchkey({ authorizationDetails, login });
    const client = as.client();
    const logIn = async (options = {}) => {
      const merged = { as: "alice", authorizationDetails: [payment, readFiles, payment], ...options };
      return (await as.logIn(client, merged)).tokens.authorization_details;
    };
    assertEquals(await logIn(), [payment, readFiles, payment]);
    assertEquals(await logIn({ denyDetails: ["payment"] }), [readFiles]);
    as.decisions.loginAs("alice");
    as.decisions.limitDetails("alice", "payment");
    assertEquals(await logIn({ as: undefined }), [payment, payment]);
    as.decisions.limitDetails("alice");
    assertEquals(await logIn({ as: undefined }), undefined);
    as.decisions.allowAll("alice");
    assertEquals(await logIn({ as: undefined }), [payment, readFiles, payment]);
    as.decisions.limitDetails("alice");
    as.reset();
    assertEquals((await as.logIn(as.client(), { authorizationDetails: [payment] })).tokens.authorization_details, [
      payment,
    ]);
  }
});

test("[RA-01, RA-08, RA-09] a login in the mock: pushed, refreshed, narrowed, and read from the log", async () => {
  await using as = await testLatchkey({ authorizationDetails });
  const client = as.client();
  const { tokens } = await as.logIn(client, { authorizationDetails: [payment, readFiles], par: true });
  assertEquals(tokens.authorization_details, [payment, readFiles]);
  const narrowed = await as.refresh(client, tokens.refresh_token!, {
    authorization_details: JSON.stringify([payment]),
  });
  assertEquals(narrowed.authorization_details, [payment]);
  const whole = await as.refresh(client, narrowed.refresh_token ?? tokens.refresh_token!);
  assertEquals(whole.authorization_details, [payment, readFiles]);
});

test("[RA-01, RA-03, RA-08, RA-14] openid-client finds the types, sends details and gets them", async () => {
  await using as = await testLatchkey({ authorizationDetails });
  const { client_id, client_secret, redirect_uri } = as.client({ confidential: true });
  const config = await openid.discovery(new URL(as.issuer), client_id, client_secret, undefined, {
    [openid.customFetch]: as.fetch as openid.CustomFetch,
  });
  assertEquals(config.serverMetadata().authorization_details_types_supported, ["payment", "files"]);
  const logIn = async (details: readonly unknown[]) => {
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri,
      scope: "openid",
      authorization_details: JSON.stringify(details),
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
    });
    const callback = await as.browser().authorize(url);
    return await openid.authorizationCodeGrant(config, new URL(callback.url), { pkceCodeVerifier });
  };
  assertEquals((await logIn([payment])).authorization_details as unknown, [payment]);
  const error = await logIn([{ ...payment, amount: 12.5 }]).catch((cause) => cause);
  assert(error instanceof openid.AuthorizationResponseError);
  assertEquals(error.error, "invalid_authorization_details");
});
