/** Exchanges of codes: the challenge of a verifier, what is granted, and what is rejected. */

import { assertEquals } from "@std/assert";
import { decodeClaims, type Fields, type TestServer } from "../kit.ts";

/** The unpadded base64url of SHA-256 over the verifier's bytes. */
export async function s256(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return btoa(String.fromCharCode(...digest)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The scope that the token response names after the authorization request of `spa` with these changes. */
export async function granted({ code, token }: TestServer, fields: Fields): Promise<Set<string>> {
  const response = await token({ code: await code(fields) });
  assertEquals(response.status, 200);
  const { scope, access_token } = await response.json();
  assertEquals(decodeClaims(access_token).scope, scope);
  return new Set(scope.split(" "));
}

/** Asserts `invalid_grant` of the token endpoint, without usable values; its description. */
export async function assertInvalidGrant(response: Response): Promise<string> {
  const body = await response.json();
  assertEquals(response.status, 400);
  assertEquals(body.error, "invalid_grant");
  assertEquals(Object.keys(body).sort(), ["error", "error_description"]);
  return body.error_description;
}

/** How many codes the server issued. */
export function codesIssued({ events }: TestServer): number {
  return events.filter((event) => event.type === "code_issued").length;
}
