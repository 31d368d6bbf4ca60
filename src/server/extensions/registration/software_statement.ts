/** Software statements: client metadata that a trusted issuer has signed (RFC 7591 §2.3). */

import { decodeJwt, type JWTPayload } from "jose";
import { describeKind } from "../../../core/http/quote_value.ts";
import type { OAuthError } from "../../../core/rules/errors.ts";
import { foreignClockTolerance, type JwtPolicy, JwtPolicyError } from "../../../platform/jwt/jwt_policies.ts";
import { verificationAlgorithms } from "../../config/verification_algorithms.ts";
import { warn } from "../../trace.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { reject } from "./rules.ts";
import { registrationPolicy } from "./settings.ts";
import { DocumentError } from "../../fetching/outbound.ts";
import { findKeyProblem, remoteKeys } from "../../fetching/remote_keys.ts";
import { verifyByKeys } from "../../../platform/jwt/verify_by_keys.ts";
import { registrationTexts } from "./explain.ts";

/** A software statement (RFC 7591 §2.3). */
export const softwareStatementPolicy: JwtPolicy = { ...foreignClockTolerance, types: ["jwt"], isTypeOptional: true };

/** Claims of access tokens, ID tokens, logout tokens and security events, which a software statement never has. */
const claimsOfTokens = [
  ...["client_id", "cid", "appid", "scp"],
  ...["nonce", "at_hash", "c_hash", "auth_time", "azp", "sid", "events"],
];

const uriMembers = ["redirect_uris", "post_logout_redirect_uris"] as const;

interface SoftwareStatement {
  /** The JWT, as received. */
  readonly text: string;
  /** The client metadata in it, which replaces that of the request. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/**
 * Reads the software statement of a registration request. Without configured issuers it is ignored with a warning.
 *
 * @returns `undefined` without one.
 * @throws {OAuthError} `invalid_software_statement`, or `unapproved_software_statement` for another issuer. Also if the
 *   request has a redirect URI that the statement lacks, because the issuer has not approved that receiver of codes.
 */
export async function readSoftwareStatement(
  server: HostedServer,
  received: Readonly<Record<string, unknown>>,
): Promise<SoftwareStatement | undefined> {
  const { software_statement: text } = received;
  if (text === undefined || text === null) return undefined;
  const { softwareStatementIssuers: issuers } = registrationPolicy(server);
  const expected = `a current JWT signed by ${issuers.map(({ issuer }) => issuer).join(" or ")}`;
  if (issuers.length === 0) {
    warn(server, undefined, {
      rule: "DR-10",
      reason: "the software statement is ignored, because this server trusts no issuer of statements",
      expected: "an issuer in registration.softwareStatementIssuers",
      received: "a software statement",
      fix: registrationTexts["DR-10"].fix,
    });
    return undefined;
  }
  if (typeof text !== "string") throw invalidStatement("it is not a string", expected);
  let issuer: string | undefined;
  try {
    issuer = decodeJwt(text).iss;
  } catch (cause) {
    throw invalidStatement("it is not a JWT", expected, undefined, cause);
  }
  const trusted = issuers.find((candidate) => candidate.issuer === issuer);
  if (trusted === undefined) throw reject("DR-10", { problem: "issuer", expected, issuer });
  let payload: JWTPayload;
  try {
    payload = await verifyByKeys(text, remoteKeys(server.fetching.keys, trusted), softwareStatementPolicy, {
      algorithms: verificationAlgorithms,
      issuer: trusted.issuer,
      now: server.now(),
    });
  } catch (cause) {
    const why = cause instanceof DocumentError ? `the keys of ${issuer} cannot be used` : (cause as Error).message;
    const details = cause instanceof JwtPolicyError ? cause.problem : findKeyProblem(trusted, cause);
    throw reject("DR-10", { problem: "invalid", why, expected, ...details }, { cause });
  }
  assertNoOtherToken(server, payload);
  assertRedirectUris(received, payload);
  server.passed("DR-10", trusted.issuer);
  return { text, claims: payload };
}

/** Rejects a token of another kind that the issuer has signed, such as an ID token (RFC 8725 §3.12). */
function assertNoOtherToken(server: HostedServer, payload: JWTPayload): void {
  const claim = claimsOfTokens.find((name) => payload[name] !== undefined);
  if (claim !== undefined) {
    throw invalidStatement("it is a token of another kind", `a statement without ${claim}`, `one with ${claim}`);
  }
  const { aud } = payload;
  if (aud === undefined || [aud].flat().includes(server.issuer)) return;
  const received = [aud].flat().map(describeClaim).join(" ");
  throw invalidStatement("it has another audience", `aud = ${server.issuer}, or no aud`, received);
}

function assertRedirectUris(sent: Readonly<Record<string, unknown>>, payload: JWTPayload): void {
  for (const member of uriMembers) {
    const approved = [payload[member] ?? []].flat();
    const other = [sent[member] ?? []].flat().find((uri) => !approved.includes(uri));
    if (other === undefined) continue;
    const received = describeClaim(other);
    throw reject("DR-10", { problem: "URI", member, approved: approved.map(describeClaim), received });
  }
}

function describeClaim(value: unknown): string {
  return typeof value === "string" ? value : describeKind(value);
}

function invalidStatement(why: string, expected: string, received?: string, cause?: unknown): OAuthError {
  return reject("DR-10", { problem: "invalid", why, expected, received }, { cause });
}
