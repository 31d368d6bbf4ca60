/** Verifies client assertions (RFC 7523 §3). Loaded with the first assertion, because it imports jose. */

import { jwtVerify } from "jose";
import type { JWTPayload, JWTVerifyResult } from "jose";
import { byProfile } from "../../config/profiles.ts";
import { describeRemovedClient } from "../repository.ts";
import type { Client } from "../repository.ts";
import { quote } from "../../config/config_issue.ts";
import { remoteKeys, verifyByKeys } from "../../keys/remote_keys.ts";
import { DocumentError } from "../../outbound.ts";
import { storageKey } from "../../secrets.ts";
import { secondsNow } from "../../server.ts";
import type { Server } from "../../server.ts";
import { compactJws } from "../../tokens/verification.ts";
import type { Explanation } from "../../trace.ts";
import { invalidClient } from "./method.ts";
import type { Credentials } from "./method.ts";

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** Maximum number of seconds by which a client's clock may be ahead, for `iat` and `nbf`. */
const clockToleranceSeconds = 10;
/** Maximum lifetime of an assertion, in seconds. */
const maxAssertionLifetimeSeconds = 300;
/** Accepted `typ` values of an assertion; `typ` may also be absent (RFC 7523bis). */
const acceptedTypes = ["client-authentication+jwt", "jwt"];

/**
 * Verifies an assertion and returns its client.
 *
 * @param id The claimed client id.
 * @throws {OAuthError} `invalid_client`.
 */
export async function verifyAssertion(
  server: Server,
  { params }: Credentials,
  id: string | undefined,
  method: "client_secret_jwt" | "private_key_jwt",
  algorithms: readonly string[],
): Promise<Client> {
  const assertion = params.get("client_assertion");
  if (assertion === undefined || params.get("client_assertion_type") !== assertionType) {
    throw invalidClient(
      "client_assertion or client_assertion_type is missing or unsupported",
      `client_assertion, and client_assertion_type=${assertionType}`,
      assertion === undefined ? "no client_assertion" : "another client_assertion_type",
    );
  }
  const client = await server.clients.find(id ?? "");
  if (client === undefined) {
    const earlier = describeRemovedClient(server.clients, id);
    throw invalidClient("sub of the assertion is not a registered client", "sub = client_id", "another", { earlier });
  }
  if (client.authMethod !== method) {
    throw invalidClient(
      `client ${client.id} must use ${client.authMethods.join(" or ")}; this request used ${method}`,
      client.authMethods.join(" or "),
      method,
    );
  }
  if (client.secretExpiresAt !== undefined && secondsNow(server) >= client.secretExpiresAt) {
    throw invalidClient(
      "the secret has expired",
      "a secret that is still valid",
      "an assertion signed with the expired secret",
    );
  }
  const claims = await verifyClaims(
    server,
    client,
    assertion,
    client.assertionAlg ? [client.assertionAlg] : algorithms,
  );
  await assertNotReplayed(server, client, claims);
  return client;
}

async function verifyClaims(
  server: Server,
  client: Client,
  assertion: string,
  algorithms: readonly string[],
): Promise<JWTPayload> {
  const options = {
    algorithms: [...algorithms],
    issuer: client.id,
    subject: client.id,
    requiredClaims: ["exp", "jti", "aud"],
    clockTolerance: clockToleranceSeconds,
    currentDate: new Date(server.now()),
  };
  // The library accepts padding and non-zero unused bits, which are other encodings of the same assertion.
  if (!compactJws.test(assertion)) {
    throw invalidClient(
      "the assertion is not a JWT",
      "three parts of canonical base64url without padding",
      "something else",
    );
  }
  // The operator chose the URLs of other clients.
  const limiter = client.registration ?? client.document ? server.fetchLimiter : undefined;
  let payload: JWTPayload;
  let protectedHeader: JWTVerifyResult["protectedHeader"];
  try {
    ({ payload, protectedHeader } = client.assertionSecret === undefined
      ? await verifyByKeys(assertion, remoteKeys(server, client, limiter), options)
      : await jwtVerify(assertion, new TextEncoder().encode(client.assertionSecret), options));
  } catch (cause) {
    if (cause instanceof DocumentError) {
      const { expected, received, fix } = cause;
      throw invalidClient(`the keys of client ${client.id} cannot be fetched`, expected, received, { fix });
    }
    throw invalidClient(
      `the assertion is invalid: ${(cause as Error).message}`,
      "a valid, signed assertion with iss = sub = client_id",
    );
  }
  const { typ = acceptedTypes[0] } = protectedHeader;
  // A media type: case and the prefix "application/" are ignored (RFC 7515 §4.1.9).
  if (typeof typ !== "string" || !acceptedTypes.includes(typ.toLowerCase().replace(/^application\//, ""))) {
    throw invalidClient(
      "the assertion has an unexpected typ",
      `typ = ${acceptedTypes.join(" or ")}, or no typ`,
      quote(typ),
    );
  }
  const audience = [payload.aud!].flat();
  const audiences = [server.issuer, ...server.assertionAudiences];
  if (audience.length !== 1 || !audiences.includes(audience[0]!)) {
    throw invalidClient(
      "the assertion has another audience",
      `aud = ${audiences.join(" or ")}, alone${byProfile(server.profile, "assertionAudience")}`,
      audience.map((aud) => typeof aud === "string" ? aud : `a value of type ${typeof aud}`).join(" "),
    );
  }
  if (audience[0] !== server.issuer) {
    const explanation: Explanation = {
      rule: "JC-05",
      reason: "aud of the client assertion is the token endpoint URL, which many servers reject",
      expected: `aud = ${server.issuer}, the issuer`,
      received: audience[0],
    };
    server.trace({ type: "warning", at: server.now(), client: client.id, explanation });
  }
  const now = server.now() / 1000;
  if (
    payload.exp! <= now || payload.exp! > now + maxAssertionLifetimeSeconds ||
    (payload.iat ?? now) > now + clockToleranceSeconds
  ) {
    throw invalidClient(
      "the assertion has expired, is valid for too long or is not valid yet",
      `exp within ${maxAssertionLifetimeSeconds} seconds`,
    );
  }
  if (typeof payload.jti !== "string" || payload.jti === "") {
    throw invalidClient("the assertion has no jti", "a unique string for each assertion", "something else");
  }
  return payload;
}

async function assertNotReplayed(server: Server, client: Client, { jti, exp }: JWTPayload): Promise<void> {
  const expiresAt = Math.ceil(exp! * 1000);
  const id = await storageKey(server, JSON.stringify(["assertion", client.id, jti]));
  if (await server.store.add("seen", id, {}, { expiresAt })) return;
  throw invalidClient("the assertion was used before", "a unique jti for each assertion", "a repeated jti");
}
