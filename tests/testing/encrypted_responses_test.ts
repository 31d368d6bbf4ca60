/** Encrypted responses for clients of the mock (group EN). */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { testLatchkey } from "./test_latchkey.ts";
import { encryptedFor } from "../server/extensions/encrypted_responses/encrypted_clients.ts";

test("[EN-01] the client of the mock logs in; without the private key it has no claims", async () => {
  await using as = await testLatchkey();
  const { tokens, claims } = await as.logIn(as.client(encryptedFor("ECDH-ES", { client_id: undefined })));
  assertEquals([tokens.id_token!.split(".").length, claims], [5, undefined]);
});
