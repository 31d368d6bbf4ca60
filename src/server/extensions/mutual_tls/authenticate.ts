/** Authenticates clients by the certificate of their connection, and binds tokens to it (RFC 8705 §2 to §4). */

import { metadataOf } from "../../config/client_metadata.ts";
import type { Certificate } from "../../../platform/runtime/certificate.ts";
import { quote } from "../../config/config_issue.ts";
import { howToAuthenticate } from "../../clients/client_texts.ts";
import { invalidClient } from "../../fetching/invalid_client.ts";
import { describeKeyFailure, keysOf } from "../../fetching/client_keys.ts";
import type { Client } from "../../../core/clients/clients.ts";
import { keySets } from "../../fetching/remote_keys.ts";
import type { PublicKeySet } from "../../../core/keys/jwk.ts";
import { reject as rejectByCore } from "../../../core/rules/reject.ts";
import type { Credentials } from "../../../core/server.ts";
import {
  type ConnectionRequest,
  describeAuthorities,
  describeMissing,
  findValidityProblem,
  formatDistinguishedName,
  isIssuedBy,
  readCertificate,
} from "./certificate.ts";
import { mutualTlsOf, subjectMembers } from "./settings.ts";
import { hasSubject } from "./subject.ts";
import type { HostedServer } from "../../hosted_server.ts";
import type { AuthenticatedRequest } from "../../../core/token/grants/authenticated_request.ts";
import { reject } from "./rules.ts";

/**
 * Authenticates the client that `client_id` names.
 *
 * @throws {OAuthError} `invalid_client`.
 */
export async function authenticateByCertificate(
  server: HostedServer,
  { params, ...request }: Credentials,
  method: "tls_client_auth" | "self_signed_tls_client_auth",
): Promise<Client> {
  const id = params.get("client_id");
  const client = await server.clients.find(id ?? "", server);
  if (client === undefined) throw rejectByCore("CA-07", { failure: "unknown client", id, used: method });
  const expected = `the certificate of client ${client.id}`;
  const fix = howToAuthenticate(client);
  const certificate = readCertificate(server.policy, request);
  if (certificate === undefined) {
    const received = describeMissing(server, request);
    throw invalidClient(`client ${client.id} must use ${method}`, expected, received, { fix });
  }
  const timeProblem = findValidityProblem(certificate, server.now());
  if (timeProblem !== undefined) {
    const fix = "Use a certificate that is valid now, by the clock of the server.";
    throw invalidClient("the certificate is not valid now", expected, timeProblem, { fix });
  }
  if (method === "self_signed_tls_client_auth") await assertRegistered(server, client, certificate);
  else assertIssued(server, client, certificate);
  return client;
}

function assertIssued(server: HostedServer, client: Client, certificate: Certificate): void {
  const { authorities = [] } = mutualTlsOf(server.policy) ?? {};
  if (!isIssuedBy(certificate, authorities, server.now())) {
    throw invalidClient(
      "no authority of mutualTls.authorities issued the certificate",
      `a certificate by one of these authorities: ${describeAuthorities(authorities, server.now())}`,
      `a certificate by ${quote(formatDistinguishedName(certificate.issuer))}`,
      { fix: "Add the certificate of its issuer, also an intermediate one, to mutualTls.authorities." },
    );
  }
  if (hasSubject(certificate, client.metadata)) return;
  const [member] = subjectMembers.filter((name) => metadataOf(client)[name] !== undefined);
  const isSubject = member === "tls_client_auth_subject_dn";
  const names = isSubject ? [formatDistinguishedName(certificate.subject)] : certificate.alternativeNames;
  throw invalidClient(
    `the certificate is not that of client ${client.id}`,
    `${member} ${quote(metadataOf(client)[member!])}`,
    names.map(quote).join(" ") || "no alternative name",
    {
      fix: `Compare ${member} with the output of openssl x509 -noout ${
        isSubject ? "-subject -nameopt RFC2253" : "-ext subjectAltName"
      } -in client.pem.`,
    },
  );
}

/** Requires that the key set of the client contains the certificate. */
async function assertRegistered(server: HostedServer, client: Client, certificate: Certificate): Promise<void> {
  const { base64 } = certificate;
  const isIn = ({ keys }: PublicKeySet) => keys.some(({ x5c }) => Array.isArray(x5c) && x5c[0] === base64);
  const sets = keySets(...keysOf(server, client));
  try {
    if (isIn(await sets.current()) || isIn(await sets.newer())) return;
  } catch (cause) {
    const failure = describeKeyFailure(client, cause);
    if (failure === undefined) throw cause;
    const { reason, expected, received, ...others } = failure;
    throw invalidClient(reason, expected, received, others);
  }
  throw invalidClient(
    `the certificate is not that of client ${client.id}`,
    "a certificate that is the first of x5c of a key in jwks",
    `the certificate with the SHA-256 thumbprint ${certificate.thumbprint}`,
    { fix: "Add the certificate to x5c of its key in jwks: openssl x509 -in client.pem -outform der | base64" },
  );
}

/** The thumbprint of the certificate of a token request. @throws {OAuthError} `invalid_request`. */
export function requireCertificate(server: HostedServer, request: AuthenticatedRequest): string {
  const certificate = readCertificate(server.policy, request);
  const problem = certificate === undefined
    ? describeMissing(server, request)
    : findValidityProblem(certificate, server.now());
  if (problem !== undefined) throw reject("MT-05", { problem: "no valid certificate", received: problem });
  if (request.header("dpop") !== null) throw reject("MT-05", { problem: "two proofs" });
  return certificate!.thumbprint;
}

/** Requires the certificate that an access token is bound to. @throws {OAuthError} `invalid_token`. */
export function assertSameCertificate(server: HostedServer, request: ConnectionRequest, expected: unknown): void {
  const certificate = readCertificate(server.policy, request);
  if (certificate !== undefined && certificate.thumbprint === expected) return;
  const received = certificate?.thumbprint ?? describeMissing(server, request);
  throw reject("MT-06", { expected, received });
}
