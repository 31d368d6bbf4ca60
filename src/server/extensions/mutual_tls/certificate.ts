/** The certificate of a request. Loaded with the first one. */

import type { Peer } from "../../../platform/runtime/bind.ts";
import { type Certificate, parseCertificate } from "../../../platform/runtime/certificate.ts";
import { quote } from "../../config/config_issue.ts";
import type { AuthenticatedRequest } from "../../../core/token/grants/authenticated_request.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { reject } from "./rules.ts";
import { mutualTlsOf } from "./settings.ts";

/** The part of a request that has a certificate. */
export type ConnectionRequest = Pick<AuthenticatedRequest, "connection" | "header">;

/** Maximum length of a certificate, in characters of base64. */
const maxLength = 16 * 1024;

/**
 * The certificate that the client presented; `undefined` without one. Behind a trusted proxy the proxy names it: the
 * certificate of the connection is the proxy's own. The header of any other sender is ignored.
 *
 * @throws {OAuthError} `invalid_request` if it cannot be parsed, or the connection does not prove its private key.
 */
export function readCertificate(policy: object, request: ConnectionRequest): Certificate | undefined {
  const { certificate, proxy }: Peer = request.connection;
  if (proxy === undefined) return certificate === undefined ? undefined : parseProven(certificate);
  const header = mutualTlsOf(policy)?.proxyHeader === "client-cert" ? request.header("client-cert") : null;
  if (header === null) return undefined;
  const base64 = /^:([A-Za-z0-9+/]+={0,2}):$/.exec(header)?.[1];
  if (base64 === undefined || base64.length > maxLength) throw reject("MT-04", { problem: "header" });
  return parse(base64);
}

function parseProven(data: Uint8Array | string): Certificate {
  const certificate = parse(data);
  if (certificate.isProvable) return certificate;
  throw reject("MT-04", { version: certificate.version });
}

function parse(data: Uint8Array | string): Certificate {
  const certificate = parseCertificate(data);
  if (certificate === undefined) throw reject("MT-04", { problem: "bytes" });
  return certificate;
}

export function describeMissing({ policy, certificateListener }: HostedServer, request: ConnectionRequest): string {
  if (request.header("client-cert") === null) {
    const { origin } = certificateListener ?? {};
    return origin === undefined
      ? "no certificate"
      : `no certificate; only requests to ${origin} can have one (mtls_endpoint_aliases)`;
  }
  if (request.connection.proxy === undefined) return "the header Client-Cert of a sender that trustProxy does not list";
  return mutualTlsOf(policy)?.proxyHeader === "client-cert"
    ? "no certificate"
    : "the header Client-Cert, which mutualTls.proxyHeader does not name";
}

/** The times between which a certificate is valid, if it is not valid at a time in milliseconds since the epoch. */
export function findValidityProblem({ validFrom, validTo }: Certificate, now: number): string | undefined {
  if (now >= validFrom && now <= validTo) return undefined;
  const [from, to] = [validFrom, validTo].map((time) => new Date(time).toISOString());
  return `one that is valid from ${from} to ${to}`;
}

/** Whether one of the authorities issued a certificate, and is valid itself. */
export function isIssuedBy(certificate: Certificate, authorities: readonly string[], now: number): boolean {
  return authorities.map(parse).some((authority) =>
    findValidityProblem(authority, now) === undefined && certificate.isIssuedBy(authority)
  );
}

/** The subjects of authorities, as messages show them. */
export function describeAuthorities(authorities: readonly string[], now: number): string {
  return authorities.map(parse).map((authority) =>
    quote(formatDistinguishedName(authority.subject)) +
    (findValidityProblem(authority, now) === undefined ? "" : " (not valid now)")
  ).join(", ");
}

/** A name in the order of RFC 4514, which is that of DER reversed. */
export function formatDistinguishedName(name: readonly string[]): string {
  return name.toReversed().join(",");
}
