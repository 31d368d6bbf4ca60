/** client_secret_jwt and private_key_jwt: the client signs a statement about itself (RFC 7523 §2.2, §3). */

import { decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import type { JWTPayload } from "jose";
import type { Client } from "../clients.ts";
import { shelfId } from "../secrets.ts";
import { secondsNow } from "../server.ts";
import type { Server } from "../server.ts";
import { keysOf } from "./client_keys.ts";
import { refuseClient } from "./method.ts";
import type { ClientAuth, Credentials } from "./method.ts";

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const secretAlgorithms = ["HS256", "HS384", "HS512"];
const keyAlgorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "Ed25519",
  "EdDSA",
];

/** Every algorithm that an assertion may have; which of them, depends on the client. */
export const assertionAlgorithms: readonly string[] = [...keyAlgorithms, ...secretAlgorithms];

/** Seconds by which a client's clock may be ahead, where the assertion says when it begins. */
const tolerance = 10;
/** The longest time, in seconds, for which an assertion may be good. */
const longest = 300;

/** Signed with the client's secret. */
export const secretJwt: ClientAuth = {
  method: "client_secret_jwt",
  isUsed: (credentials) => isAssertion(credentials) && /^HS/.test(algorithmOf(credentials)),
  claimedId,
  prove: (server, credentials) => prove(server, credentials, "client_secret_jwt", secretAlgorithms),
};

/** Signed with a private key whose public half the client has registered. */
export const privateKeyJwt: ClientAuth = {
  method: "private_key_jwt",
  // An assertion that cannot be read is refused here too.
  isUsed: (credentials) => isAssertion(credentials) && !/^HS/.test(algorithmOf(credentials)),
  claimedId,
  prove: (server, credentials) => prove(server, credentials, "private_key_jwt", keyAlgorithms),
};

function isAssertion({ params }: Credentials): boolean {
  return params.get("client_assertion") !== undefined || params.get("client_assertion_type") !== undefined;
}

function algorithmOf({ params }: Credentials): string {
  try {
    return decodeProtectedHeader(params.get("client_assertion") ?? "").alg ?? "";
  } catch {
    return "";
  }
}

function claimedId({ params }: Credentials): string | undefined {
  try {
    const { sub } = decodeJwt(params.get("client_assertion") ?? "");
    return typeof sub === "string" ? sub : undefined;
  } catch {
    return undefined;
  }
}

async function prove(
  server: Server,
  credentials: Credentials,
  method: "client_secret_jwt" | "private_key_jwt",
  algorithms: readonly string[],
): Promise<Client> {
  const { params } = credentials;
  const assertion = params.get("client_assertion");
  if (assertion === undefined || params.get("client_assertion_type") !== assertionType) {
    throw refuseClient(
      "client_assertion and client_assertion_type do not belong together",
      `client_assertion, and client_assertion_type=${assertionType}`,
      assertion === undefined ? "no client_assertion" : "another client_assertion_type",
    );
  }
  const client = server.clients.find(claimedId(credentials) ?? "");
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
