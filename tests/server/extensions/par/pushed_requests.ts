/** Pushed requests of tests. */

import { assertEquals } from "@std/assert";
import { assertPage, encode, type Fields, getRejections, goodRequest, type TestServer } from "../../../kit.ts";

export const prefix = "urn:ietf:params:oauth:request_uri:";
export const redirect_uri = "https://spa.example/cb";

/** POST /oauth2/par for `spa` with everything in order, changed by the fields given. */
export function push(server: TestServer, fields: Fields = {}, headers?: Record<string, string>): Promise<Response> {
  return server.post("/oauth2/par", { ...goodRequest, ...fields }, headers);
}

/** The `request_uri` of a pushed request that is in order. */
export async function pushed(
  server: TestServer,
  fields: Fields = {},
  headers?: Record<string, string>,
): Promise<string> {
  const response = await push(server, fields, headers);
  assertEquals(response.status, 201, await response.clone().text());
  return (await response.json()).request_uri;
}

/** The authorization request that refers to a pushed one. */
export function refer({ get }: TestServer, request_uri: string, fields: Fields = {}): Promise<Response> {
  return get(`/oauth2/authorize?${encode({ client_id: "spa", request_uri, ...fields })}`);
}

/** Asserts a page with `invalid_request_uri`, and the rule of the rejection. */
export async function assertInvalidRequestUri(server: TestServer, response: Response, rule = "PA-06"): Promise<void> {
  await assertPage(response);
  const { error, explanation } = getRejections(server.events).at(-1)!;
  assertEquals([error, explanation.rule], ["invalid_request_uri", rule]);
}
