/** Software statements: client metadata that a trusted issuer has signed (RFC 7591 §2.3). */

import { OAuthError } from "../errors.ts";
import { verificationAlgorithms } from "../keys/signing_algorithm.ts";
import type { Server } from "../server.ts";

/** A verified statement. */
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
 * @throws {OAuthError} `invalid_software_statement`, or `unapproved_software_statement` for another issuer.
 */
export async function readSoftwareStatement(
  server: Server,
  { software_statement: text }: Readonly<Record<string, unknown>>,
): Promise<SoftwareStatement | undefined> {
  if (text === undefined || text === null) return undefined;
  const { softwareStatementIssuers: issuers } = server.settings.registration;
  const expected = `a current JWT signed by ${issuers.map(({ issuer }) => issuer).join(" or ")}`;
  if (issuers.length === 0) {
    server.trace({
      type: "warning",
      at: server.now(),
      explanation: {
        rule: "DR-10",
        reason: "the software statement is ignored, because this server trusts no issuer of statements",
        expected: "an issuer in registration.softwareStatementIssuers",
        received: "a software statement",
      },
    });
    return undefined;
  }
  if (typeof text !== "string") throw invalidStatement("it is not a string", expected);
  const [{ decodeJwt }, { remoteKeys, verifyByKeys }] = await Promise.all([
    import("jose"),
    import("../keys/remote_keys.ts"),
  ]);
  let issuer: string | undefined;
  try {
    issuer = decodeJwt(text).iss;
  } catch (cause) {
    throw invalidStatement("it is not a JWT", expected, cause);
  }
  const trusted = issuers.find((candidate) => candidate.issuer === issuer);
  if (trusted === undefined) {
    throw new OAuthError("unapproved_software_statement", "this server does not approve the statement's issuer", {
      rule: "DR-10",
      expected,
      received: typeof issuer === "string" ? `iss ${issuer}` : "a statement without iss",
    });
  }
  try {
    const keys = remoteKeys(server, trusted);
    const { payload } = await verifyByKeys(text, keys, {
      algorithms: [...verificationAlgorithms],
      issuer: trusted.issuer,
      currentDate: new Date(server.now()),
    });
    server.passed?.("DR-10", trusted.issuer);
    return { text, claims: payload };
  } catch (cause) {
    throw invalidStatement((cause as Error).message, expected, cause);
  }
}

function invalidStatement(reason: string, expected: string, cause?: unknown): OAuthError {
  return new OAuthError("invalid_software_statement", "the software statement is not a valid, signed JWT", {
    rule: "DR-10",
    reason: `the software statement is invalid: ${reason}`,
    expected,
    received: "another value",
    cause,
  });
}
