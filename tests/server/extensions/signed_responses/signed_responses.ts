/** A server with every response mode, and what its signed responses hold. */

import { assert, assertEquals } from "@std/assert";
import { jwtVerify } from "jose";
import type { LatchkeyOptions } from "../../../../src/mod.ts";
import { fetchKeySet, type TestServer, testServer } from "../../../kit.ts";

export const uri = "https://spa.example/cb";
export const start = Date.UTC(2026, 0, 1) / 1000;
export const responseModes = ["query", "form_post", "jwt", "query.jwt", "fragment.jwt", "form_post.jwt"] as const;

export const server = (options: LatchkeyOptions = {}) => testServer({ responseModes, ...options });

/** The only parameter of a signed response in a redirect. */
export function getSigned(response: Response, separator: "?" | "#" = "?", prefix = uri + separator): string {
  assertEquals(response.status, 302);
  const location = response.headers.get("location")!;
  assert(location.startsWith(prefix), location);
  const [[name, value], ...more] = [...new URLSearchParams(location.slice(prefix.length))] as [[string, string]];
  assertEquals([name, more.length], ["response", 0]);
  return value;
}

/** The verified claims of a signed response. */
export async function verify(b: TestServer, jwt: string, audience = "spa"): Promise<Record<string, unknown>> {
  const currentDate = new Date(start * 1000);
  const { payload } = await jwtVerify(jwt, await fetchKeySet(b), { issuer: b.as.issuer, audience, currentDate });
  return payload;
}
