/** A server whose issuer is the host of each request. */

import { assertEquals } from "@std/assert";
import type { Latchkey, LatchkeyOptions } from "../../src/mod.ts";
import { latchkey } from "../secret_leak_check.ts";
import { clients, encode, goodRequest, verifier } from "../kit.ts";

export const metadataPath = "/.well-known/openid-configuration";

export const open = (options: LatchkeyOptions = {}) =>
  latchkey({ issuer: "from-host", issuerHosts: ["latchkey"], clients, ...options });

/** Sends a request to one of the names of the server. */
export function send(
  as: Pick<Latchkey, "fetch">,
  origin: string,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const { host } = new URL(origin);
  const request = new Request(origin + path, { redirect: "manual", ...init, headers: { host, ...init.headers } });
  return as.fetch(request);
}

export async function exchange(as: Latchkey, origin: string, code: string) {
  const form = { grant_type: "authorization_code", client_id: "spa", redirect_uri: goodRequest.redirect_uri, code };
  const response = await send(as, origin, "/oauth2/token", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: encode({ ...form, code_verifier: verifier }),
  });
  assertEquals(response.status, 200);
  return await response.json();
}
