import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { bench, claimsOf } from "./harness.ts";

test("[TK-09] a public client turns a code into tokens", async () => {
  const { code, token } = await bench();
  const response = await token({ code: await code() });
  assertEquals(response.status, 200);
  const body = await response.json();
  assertEquals([body.token_type, body.expires_in, body.scope], ["Bearer", 3600, "openid read"]);
  assertEquals(claimsOf(body.id_token).aud, "spa");
});
