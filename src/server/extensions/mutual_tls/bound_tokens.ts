/** Tokens that are bound to the certificate of their client (RFC 8705 §3, §4). */

import type { AuthenticatedRequest } from "../../../core/grants/authenticated_request.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { type ConnectionRequest, describeMissing, findTimeProblem, readCertificate } from "./certificate.ts";
import { reject } from "./rules.ts";
import { confirmationMember } from "./settings.ts";

/** The key of a token request: the certificate of its connection. @throws {OAuthError} `invalid_request`. */
export function requireCertificate(server: HostedServer, request: AuthenticatedRequest): string {
  const certificate = readCertificate(server.settings, request);
  const problem = certificate === undefined
    ? describeMissing(server, request)
    : findTimeProblem(certificate, server.now());
  if (problem !== undefined) throw reject("MT-05", { problem: "no valid certificate", received: problem });
  if (request.header("dpop") !== null) throw reject("MT-05", { problem: "two proofs" });
  return `${confirmationMember}:${certificate!.thumbprint}`;
}

/** Requires the certificate that an access token is bound to. @throws {OAuthError} `invalid_token`. */
export function assertSameCertificate(server: HostedServer, request: ConnectionRequest, expected: unknown): void {
  const certificate = readCertificate(server.settings, request);
  if (certificate !== undefined && certificate.thumbprint === expected) return;
  const received = certificate?.thumbprint ?? describeMissing(server, request);
  throw reject("MT-06", { expected, received });
}
