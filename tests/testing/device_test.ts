/** Devices without a browser: the mock, and client libraries with its clock. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import * as openid from "openid-client";
import { LoginError, type TestLatchkey } from "../../src/testing/mod.ts";
import { testLatchkey } from "./test_latchkey.ts";

/** The error code of a rejected promise. */
async function getError(promise: Promise<unknown>): Promise<string | undefined> {
  return await promise.then(() => undefined, ({ error }) => error);
}

for (const login of ["auto", "interactive"] as const) {
  test(`[DV-03, DV-04] startDevice with login: "${login}" polls, and its user approves or denies`, async () => {
    await using as = await testLatchkey({ login });
    const client = as.client();
    const device = await as.startDevice(client, { scope: "openid read" });
    assertEquals([device.expiresIn, device.interval], [600, 5]);
    assertEquals(device.verificationUriComplete, `${device.verificationUri}?user_code=${device.userCode}`);
    assertEquals(await getError(device.poll()), "authorization_pending");
    const early = as.token(client, {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: device.deviceCode,
    });
    assertEquals(await getError(early), "slow_down");
    assertEquals(await getError(device.poll()), "slow_down");
    assertEquals(device.interval, 10);
    as.clock.advance(10);
    assertEquals(await getError(device.poll()), "authorization_pending");
    await device.approve({ as: "bob", denyScopes: ["read"] });
    const { scope, access_token } = await device.poll();
    assertEquals(scope, "openid");
    const userinfo = await as.fetch("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } });
    assertEquals((await userinfo.json()).sub, "bob");
    assertEquals(await getError(device.poll()), "invalid_grant");

    const denied = await as.startDevice(as.client({ confidential: true }));
    await denied.deny();
    assertEquals(await getError(denied.poll()), "access_denied");
    await assertRejects(() => denied.approve(), LoginError, "status 400");
    const late = await as.startDevice(client);
    as.clock.advance(600);
    assertEquals(await getError(late.poll()), "expired_token");
  });
}

test("[DV-06] decisions apply to devices: immediately, or later by as.device()", async () => {
  await using as = await testLatchkey();
  const client = as.client();
  const start = async () => {
    const body = new URLSearchParams({ client_id: client.client_id, scope: "openid" });
    return await (await as.fetch("/oauth2/device_authorization", { method: "POST", body })).json();
  };
  const poll = async ({ device_code }: { device_code: string }) =>
    await as.token(client, { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code });
  as.decisions.loginNext("bob");
  const { access_token } = await poll(await start());
  const userinfo = await as.fetch("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } });
  assertEquals((await userinfo.json()).sub, "bob");
  as.decisions.deny();
  assertEquals(await getError(poll(await start())), "access_denied");
  as.decisions.allowAll();
  as.decisions.deferRequests();
  const started = await start();
  assertEquals(await getError(poll(started)), "authorization_pending");
  await as.device(started.user_code).approve();
  await poll(started);
  const { user_code } = await start();
  await as.device(user_code).deny();
  await assertRejects(() => as.device("BCDF-GHJK").approve(), LoginError, "the user code is unknown");
  await as.reset();
  as.clients.set({ ...client });
  await poll(await start());
});

test("approving a device as an unknown user is an error, and the device can still be decided on", async () => {
  for (const login of ["auto", "interactive"] as const) {
    await using as = await testLatchkey({ login });
    const device = await as.startDevice(as.client());
    const { message } = await assertRejects(() => device.approve({ as: "carol" }), TypeError);
    assertEquals(message, 'The server has no user "carol". Its users: alice, bob.');
    await as.device(device.userCode).approve({ as: "bob" });
    assert((await device.poll()).access_token);
  }
});

test("a device of a client without the grant type, and unknown options, are errors", async () => {
  await using as = await testLatchkey();
  const client = as.client({ grant_types: ["authorization_code"] });
  assertEquals(await getError(as.startDevice(client)), "unauthorized_client");
  await assertRejects(() => as.startDevice(client, { scopes: "read" } as never), TypeError, "scope");
});

/** Runs timers immediately, and advances the clock of the server by their time. */
async function withTimersOf<T>(as: TestLatchkey, action: () => Promise<T>): Promise<T> {
  const { setTimeout } = globalThis;
  globalThis.setTimeout = ((callback: () => void, milliseconds = 0) => {
    as.clock.advance(milliseconds / 1000);
    return setTimeout(callback, 0);
  }) as typeof setTimeout;
  try {
    return await action();
  } finally {
    globalThis.setTimeout = setTimeout;
  }
}

test("[DV-01, DV-03, DV-04] openid-client starts a device, polls until the user approves, and reads the denial", async () => {
  await using as = await testLatchkey({ login: "interactive" });
  const { client_id, client_secret } = as.client({ confidential: true });
  let polls = 0;
  let beforePoll = (_: number) => Promise.resolve();
  const fetch: openid.CustomFetch = async (url, init) => {
    if (url === `${as.issuer}/oauth2/token`) await beforePoll(++polls);
    return await as.fetch(url, init as RequestInit);
  };
  const options = { [openid.customFetch]: fetch };
  const config = await openid.discovery(new URL(as.issuer), client_id, client_secret, undefined, options);
  const started = await openid.initiateDeviceAuthorization(config, { scope: "openid email" });
  beforePoll = async (poll) => {
    if (poll === 3) await as.device(started.user_code).approve({ as: "alice" });
  };
  const tokens = await withTimersOf(as, () => openid.pollDeviceAuthorizationGrant(config, started));
  assertEquals([polls, tokens.claims()?.sub], [3, "alice"]);
  assert(tokens.refresh_token !== undefined);
  const denied = await openid.initiateDeviceAuthorization(config, { scope: "openid" });
  await as.device(denied.user_code).deny();
  const error = await withTimersOf(as, () => openid.pollDeviceAuthorizationGrant(config, denied)).catch((e) => e);
  assertEquals(error.error, "access_denied");
});
