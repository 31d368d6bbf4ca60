/** `prompt=select_account` and the decisions of a test. */

import { assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { testLatchkey } from "./test_latchkey.ts";
import { challenge, encode } from "../kit.ts";
import { browserHeaders, twoUsers } from "../server/login/two_users.ts";

test("[OI-10] a decision of a test replaces the list, in a browser too", async () => {
  await using as = await testLatchkey(twoUsers);
  const client = as.client();
  const query = encode({
    ...{ response_type: "code", client_id: client.client_id, scope: "openid", prompt: "select_account" },
    ...{ redirect_uri: client.redirect_uris![0]!, code_challenge: challenge, code_challenge_method: "S256" },
  });
  const open = async () => {
    const { headers } = await as.fetch(`${as.issuer}/oauth2/authorize?${query}`, {
      headers: browserHeaders[0]!,
      redirect: "manual",
    });
    return headers.get("location")!;
  };
  assertMatch(await open(), /^\/oauth2\/select_account/);
  as.decisions.loginNext("bob");
  assertMatch(await open(), /[?&]code=/);
  as.decisions.deny();
  assertMatch(await open(), /[?&]error=access_denied/);
  as.decisions.allowAll();
  assertEquals((await as.logIn(client, { prompt: "select_account" })).claims?.sub, "alice");
});
