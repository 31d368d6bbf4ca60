/** `prompt=select_account` and the decisions of a test. */

import { assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { testLatchkey } from "./test_latchkey.ts";
import { challenge, encode, type ListedOptions } from "../kit.ts";

/** What a browser sends for a page; without a secure context, only `Accept`. */
const browserHeaders: readonly Record<string, string>[] = [
  { "sec-fetch-dest": "document", "sec-fetch-mode": "navigate", "sec-fetch-site": "none" },
  { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" },
];

const options: ListedOptions = {
  users: [
    { sub: "alice", name: "Alice" },
    // The digest of a password that no test knows: automatic login asks for none.
    {
      sub: "bob",
      password: "$scrypt$ln=10,r=8,p=1$4fXXG0spB92WPB1NitT8/Q$dAf4FAXv5aPZ5rXGwYtVjPyLZkUJzYV6c9xJFXG1bBo",
    },
  ],
};

test("[OI-10] a decision of a test replaces the list, in a browser too", async () => {
  await using as = await testLatchkey(options);
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
