/** Verifies client assertions (RFC 7523 §3). Loaded with the first assertion, because it needs jose. */

import { metadataOf } from "../../config/client_metadata.ts";
import type { JWTPayload } from "jose";
import { decodeJwtPart } from "../../../platform/http/jwt_part.ts";
import { rejectBeyondBound } from "../../stored/bounded_records.ts";
import { verifyByDummyKey, verifyClientJwt, withAlias } from "../../fetching/client_jwt.ts";
import { describeRemovedClient, howToAuthenticate } from "../../clients/client_texts.ts";
import { type Client, policyOf } from "../../../core/clients/clients.ts";
import { foreignClockTolerance, type JwtPolicy } from "../../../platform/jwt/jwt_policies.ts";
import { warn } from "../../trace.ts";
import { storageKey } from "../../../core/keys/secrets.ts";
import type { Credentials } from "../../../core/server.ts";
import { invalidClient } from "../../fetching/invalid_client.ts";
import { asServerPolicy, byProfile } from "../../config/server_policy.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { assertionAuthenticationTexts } from "./explain.ts";

/** A client assertion (RFC 7523 §3, RFC 10070 §4). `maxAssertionLifetime` bounds its lifetime. */
export const clientAssertionPolicy: JwtPolicy & { readonly usualLifetime: number } = {
  ...foreignClockTolerance,
  ...{ types: ["client-authentication+jwt", "jwt"], isTypeOptional: true },
  ...{ requiredClaims: ["exp", "jti", "aud"], usualLifetime: 300 },
};

/**
 * Verifies an assertion and returns its client.
 *
 * @param id The claimed client id.
 * @throws {OAuthError} `invalid_client`.
 */
export async function verifyClientAssertion(
  server: HostedServer,
  credentials: Credentials,
  id: string | undefined,
  method: "client_secret_jwt" | "private_key_jwt",
  algorithms: readonly string[],
): Promise<Client> {
  const { params, connection: { address } } = credentials;
  const assertion = params.get("client_assertion");
  if (assertion === undefined || params.get("client_assertion_type") !== assertionType) {
    throw invalidClient(
      "client_assertion or client_assertion_type is missing or unsupported",
      `client_assertion, and client_assertion_type=${assertionType}`,
      assertion === undefined ? "no client_assertion" : "another client_assertion_type",
      { fix: `Send client_assertion and client_assertion_type=${assertionType} together.` },
    );
  }
  const client = await server.clients.find(id ?? "", server);
  if (client?.authMethod !== method) await verifyByDummyKey(assertion, clientAssertionPolicy);
  if (client === undefined) {
    const isForeign = isOfOtherIssuer(server, assertion);
    const reason = isForeign
      ? "the assertion is of another issuer, and not of the client"
      : "sub of the assertion is not a registered client";
    throw invalidClient(reason, "iss = sub = client_id", isForeign ? "another iss" : "another value", {
      fix: isForeign
        ? "Let the client sign the assertion itself, by the private key of a key in its jwks, with iss and sub = " +
          "client_id: tokens of other issuers (federated credentials) do not authenticate clients here."
        : "Set iss and sub to the client_id of a registered client.",
      ...describeRemovedClient(server, id),
    });
  }
  if (client.authMethod !== method) {
    throw invalidClient(
      `client ${client.id} must use ${client.authMethods.join(" or ")}; this request used ${method}`,
      client.authMethods.join(" or "),
      method,
      { fix: `${howToAuthenticate(client)} Or register it with token_endpoint_auth_method: "${method}".` },
    );
  }
  const { token_endpoint_auth_signing_alg: registeredAlgorithm } = metadataOf(client);
  const claims = await verifyClaims(
    server,
    client,
    credentials,
    registeredAlgorithm ? [registeredAlgorithm] : algorithms,
  );
  await assertNotReplayed(server, client, claims, address);
  return client;
}

/** Whether `iss` is neither `sub` nor a client, as in the token of a platform (a federated credential). */
function isOfOtherIssuer({ clients }: HostedServer, assertion: string): boolean {
  const { iss, sub } = decodeJwtPart(assertion, 1);
  return iss !== undefined && iss !== sub && !clients.known().has(iss as string);
}

async function verifyClaims(
  server: HostedServer,
  client: Client,
  { params, audience: calledUrl }: Credentials,
  algorithms: readonly string[],
): Promise<JWTPayload> {
  const payload = await verifyClientJwt(server, client, params.get("client_assertion")!, {
    name: "the assertion",
    expected: "a valid, signed assertion with iss = sub = client_id",
    algorithms,
    policy: clientAssertionPolicy,
    claims: { subject: client.id },
    reject: invalidClient,
  });
  const audience = [payload.aud!].flat();
  const policy = asServerPolicy(policyOf(server, client));
  const { assertionAudience, maxAssertionLifetime } = policy;
  const calledUrls = calledUrl === undefined ? [] : withAlias(server, calledUrl);
  const tokenUrls = server.assertionAudiences.flatMap((url) => withAlias(server, url));
  const audiences = [
    server.issuer,
    ...assertionAudience === "issuer-or-token-endpoint" ? [...tokenUrls, ...calledUrls] : [],
  ];
  const isList = assertionAudience === "issuer-string" && Array.isArray(payload.aud);
  if (isList || audience.length === 0 || !audience.every((value) => audiences.includes(value))) {
    throw invalidClient(
      "the assertion has another audience",
      `aud = ${audiences.join(" or ")}, ${
        assertionAudience === "issuer-string" ? "as a string" : "and no other value"
      }${byProfile(policy, "assertionAudience")}`,
      isList
        ? "an array"
        : audience.map((aud) => typeof aud === "string" ? aud : `a value of type ${typeof aud}`).join(" "),
      { fix: `Set aud to ${server.issuer}, as a string.` },
    );
  }
  if (audience.length > 1 || audience[0] !== server.issuer) {
    const what = audience.length > 1
      ? "has several values"
      : `is the URL of the ${calledUrls.includes(audience[0]!) ? "called" : "token"} endpoint`;
    warn(server, client.id, {
      rule: "JC-05",
      reason: `aud of the client assertion ${what}, which many servers reject`,
      expected: `aud = ${server.issuer}, the issuer`,
      received: audience.join(" "),
      fix: assertionAuthenticationTexts["JC-05"].fix,
    });
  }
  const now = server.now() / 1000;
  const { exp = 0, iat = now } = payload;
  // By the clock of the client, which may be ahead.
  const lifetime = exp - Math.max(iat, now);
  if (lifetime > maxAssertionLifetime) {
    throw invalidClient(
      "the assertion is valid for too long",
      `exp within ${maxAssertionLifetime} seconds${byProfile(policy, "maxAssertionLifetime")}`,
      `exp in ${Math.ceil(exp - now)} seconds`,
      { fix: `Set exp at most ${maxAssertionLifetime} seconds ahead.` },
    );
  }
  if (typeof payload.jti !== "string" || payload.jti === "") {
    throw invalidClient("the assertion has no jti", "a unique string for each assertion", "no string", {
      fix: newJtiFix,
    });
  }
  if (lifetime > clientAssertionPolicy.usualLifetime) {
    warn(server, client.id, {
      rule: "JC-02",
      reason: "the client assertion is valid for longer than 5 minutes, which many servers reject",
      expected: `exp within ${clientAssertionPolicy.usualLifetime} seconds`,
      received: `exp in ${Math.ceil(exp - now)} seconds`,
      fix: assertionAuthenticationTexts["JC-02"].fix,
    });
  }
  return payload;
}

const newJtiFix = "Create an assertion with a new random jti for each request.";

async function assertNotReplayed(
  server: HostedServer,
  client: Client,
  { jti, exp }: JWTPayload,
  address: string | undefined,
): Promise<void> {
  const expiresAt = Math.ceil(exp! * 1000);
  const id = await storageKey(server, JSON.stringify(["assertion", client.id, jti]));
  rejectBeyondBound(server, client, { kind: "used_identifier", id, value: {}, expiresAt, address });
  if (await server.store.add("used_identifier", id, {}, { expiresAt })) return;
  throw invalidClient("the assertion was used before", "a unique jti for each assertion", "a repeated jti", {
    fix: newJtiFix,
  });
}

/** The value of `client_assertion_type` (RFC 7523 §2.2). */
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
