/** Tokens that are bound to the certificate of their client (RFC 8705 §3, §4). */

import { OAuthError } from "../../oauth/errors.ts";
import type { AuthenticatedRequest } from "../../oauth/grants/authenticated_request.ts";
import type { Server } from "../../oauth/server.ts";
import type { ConnectionRequest } from "../../oauth/tokens/connection_keys.ts";
import { describeMissing, findTimeProblem, readCertificate } from "./certificate.ts";
import { confirmationMember } from "./settings.ts";

/** The key of a token request: the certificate of its connection. @throws {OAuthError} `invalid_request`. */
export function requireCertificate(server: Server, request: AuthenticatedRequest): string {
  const certificate = readCertificate(server.settings, request);
  const problem = certificate === undefined
    ? describeMissing(server, request)
    : findTimeProblem(certificate, server.now());
  if (problem !== undefined) throw unbound("a valid certificate", problem);
  if (request.header("dpop") !== null) throw unbound("a certificate alone", "a certificate and a DPoP proof");
  return `${confirmationMember}:${certificate!.thumbprint}`;
}

function unbound(expected: string, received: string): OAuthError {
  const message = "the access tokens of this client are bound to its certificate";
  return new OAuthError("invalid_request", message, { rule: "MT-05", expected, received });
}

/** Requires the certificate that an access token is bound to. @throws {OAuthError} `invalid_token`. */
export function assertSameCertificate(server: Server, request: ConnectionRequest, expected: unknown): void {
  const certificate = readCertificate(server.settings, request);
  if (certificate !== undefined && certificate.thumbprint === expected) return;
  throw new OAuthError("invalid_token", "the access token is bound to another certificate", {
    rule: "MT-06",
    expected: `the certificate with the SHA-256 thumbprint ${expected}`,
    received: certificate === undefined ? describeMissing(server, request) : certificate.thumbprint,
  });
}
