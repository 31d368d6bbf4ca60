/** Proving a client by an assertion it has signed (RFC 7523 §3): loaded when the first one comes, with what verifies it. */

import { jwtVerify } from "jose";
import type { JWTPayload } from "jose";
import type { Client } from "../clients.ts";
import { shelfId } from "../secrets.ts";
import { secondsNow } from "../server.ts";
import type { Server } from "../server.ts";
import { keysOf } from "./client_keys.ts";
import { refuseClient } from "./method.ts";
import type { Credentials } from "./method.ts";

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** Seconds by which a client's clock may be ahead, where the assertion says when it begins. */
const tolerance = 10;
/** The longest time, in seconds, for which an assertion may be good. */
const longest = 300;

/**
 * The client that an assertion proves.
 *
 * @param id Which one it claims to be.
 */
export async function prove(
  server: Server,
  { params }: Credentials,
  id: string | undefined,
  method: "client_secret_jwt" | "private_key_jwt",
  algorithms: readonly string[],
): Promise<Client> {
  const assertion = params.get("client_assertion");
  if (assertion === undefined || params.get("client_assertion_type") !== assertionType) {
    throw refuseClient(
      "client_assertion and client_assertion_type do not belong together",
      `client_assertion, and client_assertion_type=${assertionType}`,
      assertion === undefined ? "no client_assertion" : "another client_assertion_type",
    );
  }
  const client = server.clients.find(id ?? "");
  if (client === undefined) {
    throw refuseClient("the assertion names no registered client", "sub = client_id", "another");
  }
  if (client.authMethod !== method) {
    throw refuseClient("the client is registered for another method", client.authMethod, method);
  }
  if (client.secretExpiresAt !== undefined && secondsNow(server) >= client.secretExpiresAt) {
    throw refuseClient(
      "the secret has expired",
      "a secret that is still valid",
      "an assertion signed with the old one",
    );
  }
  const claims = await verify(server, client, assertion, client.assertionAlg ? [client.assertionAlg] : algorithms);
  await refuseReplay(server, client, claims);
  return client;
}

async function verify(
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
    clockTolerance: tolerance,
    currentDate: new Date(server.now()),
  };
  let payload: JWTPayload;
  try {
    ({ payload } = client.assertionSecret === undefined
      ? await jwtVerify(assertion, keysOf(server, client), options)
      : await jwtVerify(assertion, new TextEncoder().encode(client.assertionSecret), options));
  } catch (cause) {
    throw refuseClient(
      `the assertion does not hold: ${(cause as Error).message}`,
      "iss = sub = client_id, good, signed",
    );
  }
  const audience = [payload.aud!].flat();
  if (audience.length !== 1 || ![server.issuer, ...server.assertionAudiences].includes(audience[0]!)) {
    throw refuseClient("the assertion is for somebody else", `aud = ${server.issuer}, alone`, audience.join(" "));
  }
  const now = server.now() / 1000;
  if (payload.exp! <= now || payload.exp! > now + longest || (payload.iat ?? now) > now + tolerance) {
    throw refuseClient("the assertion is past, good for too long, or from the future", `exp within ${longest} seconds`);
  }
  if (typeof payload.jti !== "string" || payload.jti === "") {
    throw refuseClient("the assertion has no jti", "a text of its own for each assertion", "something else");
  }
  return payload;
}

async function refuseReplay(server: Server, client: Client, { jti, exp }: JWTPayload): Promise<void> {
  const expiresAt = Math.ceil(exp! * 1000);
  const id = await shelfId(server, JSON.stringify(["assertion", client.id, jti]));
  if (await server.store.add("seen", id, {}, { expiresAt })) return;
  throw refuseClient("the assertion was used before", "a jti of its own for each assertion", "one that was seen");
}
