/** Tests name users as a `login_hint` does: by `sub`, `preferred_username` or e-mail address. */

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { test } from "node:test";
import { chooseDefaultUser, withUserFirst } from "../../src/cli/default_user.ts";
import { decodeClaims, forEachCase } from "../kit.ts";
import { latchkey } from "../secret_leak_check.ts";
import { testLatchkey } from "./test_latchkey.ts";

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
const sub = "7f0c9a6e-4d56-4d84-9d8e-2f0b7a1f5c11";
const users = [
  { sub: "admin", preferred_username: "admin" },
  { sub, preferred_username: "alice", email: "Alice@shop.example" },
];

test("the control finds a user by preferred_username and e-mail address, wherever it takes a sub", async () => {
  await forEachCase([sub, "alice", "alice@shop.example"], async (name) => {
    await using as = await testLatchkey({ users });
    const client = as.client();
    const subOf = async (options = {}) => (await as.logIn(client, options)).claims!.sub;
    as.decisions.loginNext(name);
    assertEquals(await subOf(), sub);
    as.decisions.loginAs(name);
    assertEquals(await subOf(), sub);
    as.decisions.limitScope(name, "openid");
    assertEquals((await as.logIn(client, { scope: "openid read" })).tokens.scope, "openid");
    as.decisions.deny(name);
    await assertRejects(() => as.logIn(client));
    as.decisions.allowAll(name);
    assertEquals(await subOf({ as: name }), sub);
    assertEquals(decodeClaims(await as.mint.accessToken({ client, sub: name })).sub, sub);
    assertEquals(await as.revoke({ sub: name }) > 0, true);
    const device = await as.startDevice(as.client({ grant_types: [deviceGrant] }), { scope: "openid read" });
    await device.approve({ as: name });
    assertEquals(decodeClaims((await device.poll()).access_token).sub, sub);
    assertThrows(() => as.decisions.loginNext("mallory"), TypeError, "mallory");
  });
});

test("the default user of the program may be named so too", async () => {
  for (const name of [sub, "alice", "ALICE@shop.example"]) {
    assertEquals(withUserFirst({ users }, name).users[0]!.sub, sub);
    await using as = await latchkey({ users });
    await chooseDefaultUser(as.users, name);
    assertEquals((await as.users.list({ limit: 1 }))[0]!.sub, sub);
  }
});
