/** Signed responses for clients of the mock (group JM). */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import type { ResponseMode } from "../../src/server/extension.ts";
import { goodRequest } from "../kit.ts";
import { faults, type LoginError } from "../../src/testing/mod.ts";
import { testLatchkey } from "./test_latchkey.ts";
import { responseModes } from "../server/extensions/signed_responses/signed_responses.ts";

test("[JM-03] faults of the mock change the parameters inside of a signed response, which stays valid", async () => {
  await using as = await testLatchkey({ responseModes });
  const client = as.client();
  for (const responseMode of ["jwt", "fragment.jwt", "form_post.jwt"] as const) {
    const cases = [
      [faults.authorizationResponse.edited({ state: "other" }), /state is wrong/],
      [faults.authorizationResponse.edited({ state: null }), /state is wrong/],
      [faults.authorizationResponse.edited({ iss: "https://another.example" }), /not signed by this server/],
    ] as const;
    for (const [fault, message] of cases) {
      as.on("authorize").once(fault);
      const error = await assertRejects(() => as.logIn(client, { responseMode }), Error);
      assertMatch(error.message, message);
    }
    as.on("authorize").once(faults.error("access_denied"));
    const error = await assertRejects(() => as.logIn(client, { responseMode }), Error, "access_denied");
    assertEquals((error as LoginError).callback?.response !== undefined, true);
    assertEquals((await as.logIn(client, { responseMode })).claims?.sub, "alice");
  }
});

test("[JM-03, JM-10] the mock verifies signed responses, and signs requests", async () => {
  await using as = await testLatchkey({ responseModes, requireSignedRequestObject: true });
  const client = as.client({ require_signed_request_object: true });
  const modes: readonly (ResponseMode | undefined)[] = [...responseModes, undefined];
  for (const responseMode of modes) {
    for (const par of [false, true]) {
      const { callback, request, claims } = await as.logIn(client, { responseMode, par });
      assertEquals(callback.response !== undefined, responseMode?.includes("jwt") === true);
      assertEquals([...request.searchParams.keys()].sort(), ["client_id", par ? "request_uri" : "request"]);
      assertEquals(claims?.sub, "alice");
    }
  }
  const confidential = as.client({ token_endpoint_auth_method: "private_key_jwt" });
  assertEquals((await as.logIn(confidential, { par: true })).claims?.sub, "alice");
  await assertRejects(() => as.logIn(as.client()), TypeError, "private_jwk");
  await using only = await testLatchkey({ responseModes: ["form_post.jwt"] });
  const { callback } = await only.logIn(only.client());
  assertEquals([callback.method, [...callback.params.keys()]], ["POST", ["response"]]);
  await using plain = await testLatchkey();
  const signed = plain.client({ token_endpoint_auth_method: "private_key_jwt" });
  assert((await plain.logIn(signed, { signedRequest: true })).request.searchParams.has("request"));
});

test("[JM-04] without consent of the user the error is in a signed response", async () => {
  await using as = await testLatchkey({ login: "interactive", responseModes });
  const client = as.client();
  const callback = await as.browser({ deny: true }).authorize({
    ...goodRequest,
    client_id: client.client_id,
    redirect_uri: client.redirect_uri,
    response_mode: "jwt",
  });
  assertEquals([[...callback.params.keys()], callback.error], [["response"], "access_denied"]);
});
