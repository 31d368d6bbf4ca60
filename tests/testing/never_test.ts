/** What never exists, with a profile too (group NV). */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { profileNames } from "../../src/server/config/strictness.ts";
import { forEachCase } from "../kit.ts";
import { testLatchkey } from "./test_latchkey.ts";
import { assertMetadata, isFapi, removedGrantTypes, removedResponseTypes } from "../server/removed_features.ts";

for (const profile of profileNames.filter(isFapi)) {
  test(`[NV-01, NV-02, NV-03, NV-05] nothing of it exists in the profile ${profile} either`, async () => {
    await using as = await testLatchkey({ profile });
    const client = as.client({ token_endpoint_auth_method: "private_key_jwt" });
    const errorOf = (work: Promise<unknown>) => work.then(() => "nothing", (error) => error.error);
    await forEachCase(removedResponseTypes, async (response_type) => {
      assertEquals(await errorOf(as.logIn(client, { authorization: { response_type } })), "unsupported_response_type");
    });
    await forEachCase(removedGrantTypes, async (grant_type) => {
      const fields = { grant_type, username: "alice", password: "x", assertion: "PHNhbWw+" };
      assertEquals(await errorOf(as.token(client, fields)), "unsupported_grant_type");
    });
    await assertMetadata(await as.fetch("/.well-known/openid-configuration"));
  });
}
