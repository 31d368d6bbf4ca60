/** The order of the checks of an authorization request at a server with all extensions. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { checksWith } from "../../../src/core/authorize/checks.ts";
import { extensions } from "../../../src/mod.ts";
import { challenge, type Fields, getRejections, testServer } from "../../kit.ts";

const client = { redirect_uris: ["https://spa.example/cb"], application_type: "web" } as const;
const key = { kty: "EC", crv: "P-256", x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU" } as const;
const keys = { jwks: { keys: [{ ...key, y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0" }] } };

/** A request that breaks every rule, but never the same parameter in two ways. */
const wrong: Fields = {
  client_id: "pushing",
  request_uri: "https://spa.example/request",
  display: ["page", "page"],
  state: "s".repeat(5000),
  response_type: "token",
  response_mode: "unknown",
  nonce: "n".repeat(1025),
  authorization_details: "no JSON",
  dpop_jkt: "short",
  scope: "unknown",
  code_challenge: "short",
  resource: "not a URI",
  prompt: "none login",
  claims: "c".repeat(4097),
};

/** How each mistake is corrected, in the order of the table; the rule of the row, if the check reports another one. */
const corrections: readonly (readonly [rule: string, corrected: Fields, row?: string])[] = [
  ["JR-01", { request_uri: undefined }],
  ["AZ-07", { display: "page" }],
  ["PA-07", { client_id: "signing" }],
  ["JR-05", { client_id: "neither" }],
  ["AZ-13", { state: "s1" }, "FP-03"],
  ["AZ-09", { response_type: "code id_token" }],
  ["AZ-19", { response_mode: undefined }],
  ["AZ-13", { nonce: "n" }],
  ["AZ-13", { claims: "no JSON" }],
  ["RA-02", { authorization_details: undefined }],
  ["DO-08", { dpop_jkt: undefined }],
  ["AZ-17", { scope: "read" }],
  ["PK-07", { code_challenge: challenge }],
  ["RI-01", { resource: undefined }],
  ["OI-03", { prompt: undefined }],
  ["OI-08", { claims: undefined }],
  ["HY-02", { scope: "openid" }],
];

test("[JR-01, AZ-07, PA-07, JR-05, AZ-13, AZ-09, AZ-19, RA-02, DO-08, AZ-17, PK-07, RI-01, OI-03, OI-08, HY-02] of several mistakes, the check that stands first rejects the request, those of extensions in their places", async () => {
  const { authorize, events } = await testServer({
    extensions,
    clients: ["pushing", "signing", "neither"].map((client_id) => ({
      client_id,
      ...client,
      response_types: ["code id_token"],
      grant_types: ["authorization_code", "implicit"],
      ...client_id === "pushing" && { require_pushed_authorization_requests: true },
      ...client_id !== "neither" && { require_signed_request_object: true, ...keys },
    })),
    responseTypes: ["code", "code id_token"],
    authorizationDetails: { payment: { schema: {} } },
  });
  let fields = wrong;
  for (const [rule, corrected] of corrections) {
    await authorize(fields);
    assertEquals(getRejections(events).at(-1)?.explanation.rule, rule);
    fields = { ...fields, ...corrected };
  }
  const response = await authorize(fields);
  assertEquals(new URL(response.headers.get("location")!).hash.includes("id_token="), true);
  const table = checksWith(extensions);
  // ST-06 rejects nothing before the login.
  const rules = table.flatMap(({ rule, read }) => read === undefined || rule === "ST-06" ? [] : rule ?? []);
  assertEquals(corrections.map(([rule, , row = rule]) => row), rules);
});
