/** Clients of backchannel authentication, and their requests. */

import { assertEquals } from "@std/assert";
import type { ClientMetadata, LatchkeyOptions } from "../../../../src/mod.ts";
import { type Fields, type TestServer, testServer } from "../../../kit.ts";
import { basicHeader } from "../../client_endpoints.ts";

export const cibaType = "urn:openid:params:grant-type:ciba";
export const deviceCodeType = "urn:ietf:params:oauth:grant-type:device_code";
export const bank: ClientMetadata = {
  client_id: "bank",
  client_name: "The bank",
  client_secret: "bank-secret",
  redirect_uris: ["https://bank.example/cb"],
  grant_types: ["authorization_code", cibaType, "refresh_token"],
};
export const clients: readonly ClientMetadata[] = [
  bank,
  { ...bank, client_id: "shop", client_secret: "shop-secret", grant_types: [cibaType, deviceCodeType] },
  { client_id: "plain", client_secret: "plain-secret", redirect_uris: ["https://plain.example/cb"] },
  { client_id: "app", redirect_uris: ["https://app.example/cb"], grant_types: [cibaType] },
];
export const users = [{ sub: "alice", email: "alice@example.com" }, { sub: "bob" }];

export const server = (options: LatchkeyOptions = {}) =>
  testServer({ clients, users, login: "interactive", ...options });

export const start = (b: TestServer, fields: Fields = {}, client = "bank") => {
  const request = { scope: "openid read", login_hint: "alice", ...fields };
  return b.post("/oauth2/backchannel_authentication", request, basicHeader(client));
};

export const poll = (b: TestServer, auth_req_id: string, client = "bank") =>
  b.post("/oauth2/token", { grant_type: cibaType, auth_req_id }, basicHeader(client));

export async function started(b: TestServer, fields?: Fields): Promise<string> {
  const response = await start(b, fields);
  assertEquals(response.status, 200);
  return (await response.json()).auth_req_id;
}
