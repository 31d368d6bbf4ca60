/** A server with clients for the device flow, and the requests of a device. */

import { assertEquals } from "@std/assert";
import type { LatchkeyOptions } from "../../../../src/mod.ts";
import { type Fields, getOutcome, type TestServer, testServer } from "../../../kit.ts";

export const deviceCodeType = "urn:ietf:params:oauth:grant-type:device_code";

export const grant_types = [deviceCodeType, "refresh_token"];
export const deviceClients = [
  { client_id: "tv", client_name: "Home TV", grant_types },
  { client_id: "radio", grant_types },
  { client_id: "box", client_secret: "box-secret", grant_types: [deviceCodeType] },
  { client_id: "spa", redirect_uris: ["https://spa.example/cb"] },
];

export interface Started {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

export function deviceServer(options: LatchkeyOptions = {}): Promise<TestServer> {
  return testServer({ clients: deviceClients, login: "interactive", ...options });
}

export function start(server: TestServer, fields: Fields = {}, headers?: Record<string, string>): Promise<Response> {
  return server.post("/oauth2/device_authorization", { client_id: "tv", scope: "openid read", ...fields }, headers);
}

export async function started(server: TestServer, fields: Fields = {}): Promise<Started> {
  const response = await start(server, fields);
  assertEquals(response.status, 200, await response.clone().text());
  return await response.json();
}

export function poll(server: TestServer, device_code: string, fields: Fields = {}): Promise<Response> {
  return server.post("/oauth2/token", { grant_type: deviceCodeType, client_id: "tv", device_code, ...fields });
}

export async function pollOutcome(server: TestServer, device_code: string, fields?: Fields): Promise<string> {
  return await getOutcome(await poll(server, device_code, fields));
}
