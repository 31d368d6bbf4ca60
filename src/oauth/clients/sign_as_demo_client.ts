/** Signs as a client that has the key of the demo client. Loaded only for it. */

import { encodeBase64url, importPrivateKey } from "../../runtime/crypto.ts";
import { demoKey } from "../config/demo_entries.ts";
import { randomId } from "../secrets.ts";
import { secondsNow } from "../keys/jwt.ts";
import type { Server } from "../server.ts";

/** A JWT that the client signs: an assertion, or an authorization request. */
export async function signAsDemoClient(
  server: Server,
  clientId: string,
  typ: string,
  claims: Readonly<Record<string, unknown>>,
): Promise<string> {
  const now = secondsNow(server);
  const times = { iat: now, nbf: now, exp: now + 60 };
  const payload = { iss: clientId, aud: server.issuer, jti: randomId(server.randomBytes), ...times, ...claims };
  const encode = (value: unknown) => encodeBase64url(new TextEncoder().encode(JSON.stringify(value)));
  const input = `${encode({ alg: demoKey.alg, kid: demoKey.kid, typ })}.${encode(payload)}`;
  const sign = await importPrivateKey("ES256", demoKey);
  return `${input}.${encodeBase64url(await sign(new TextEncoder().encode(input)))}`;
}
