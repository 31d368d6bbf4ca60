/** Mutual TLS (RFC 8705): clients authenticate, and prove that tokens are theirs, by a certificate. */

import type { Extension } from "../../hosting/extension.ts";
import type { ConfigIssue } from "../../../core/configuration_error.ts";
import { type ClientMetadata, metadataOf } from "../../config/client_metadata.ts";
import type { ClientAuth, ProofOfPossession } from "../../../core/server.ts";
import {
  confirmationMember,
  mutualTlsClientFields,
  type MutualTlsSettings,
  mutualTlsSettings,
  subjectMembers,
  validateCertificates,
} from "./settings.ts";
import { invalidGrantBy } from "../../../core/grants/narrow_grant.ts";
import { confirmationOf } from "../../../core/tokens/sent_token.ts";
import type { mutualTlsRules } from "./rules.ts";
import type { HostedServer } from "../../hosted_server.ts";

const load = () => import("./authenticate.ts");

function byCertificate(
  method: "tls_client_auth" | "self_signed_tls_client_auth",
  isOn: (settings: MutualTlsSettings) => boolean,
): ClientAuth & { isOn(settings: MutualTlsSettings): boolean } {
  return {
    method,
    isOn,
    isOfConnection: true,
    isUsed: () => false,
    claimedId: ({ params }) => params.get("client_id"),
    async authenticate(server: HostedServer, credentials) {
      const { authenticateByCertificate } = await load();
      return await authenticateByCertificate(server, credentials, method);
    },
  };
}

/** Adds certificates to the other ways of a server to prove a key. They come first. */
function withCertificates(others: ProofOfPossession | undefined): ProofOfPossession {
  return {
    acceptedProofs: () => undefined,
    ...others,
    async prove(server: HostedServer, request, respond) {
      if (metadataOf(request.client).tls_client_certificate_bound_access_tokens !== true) {
        return await (others?.prove(server, request, respond) ?? respond(request));
      }
      const { requireCertificate } = await load();
      return await respond(Object.assign(request, { provenKey: requireCertificate(server, request) }));
    },
    unprovenKey(error, expected, received) {
      if (confirmationOf(expected).jkt !== undefined) return others?.unprovenKey(error, expected, received) ?? error;
      const invalidGrant = invalidGrantBy<typeof mutualTlsRules>(error.details.rule!, error.message);
      return invalidGrant({ rule: "MT-07", name: "refresh token", expected, received: received ?? "no certificate" });
    },
    async verifyToken(server: HostedServer, request, sent, claims) {
      const { [confirmationMember]: thumbprint, jkt } = claims.cnf ?? {};
      if (thumbprint !== undefined) {
        (await load()).assertSameCertificate(server, request, thumbprint);
        if (jkt === undefined && sent.scheme === "Bearer") return {};
      }
      return await others?.verifyToken(server, request, sent, claims);
    },
  };
}

/** All issues of a client: its method needs one subject, or its certificates; both need the setting. */
function validateClient(client: ClientMetadata, { mutualTls }: MutualTlsSettings): readonly ConfigIssue[] {
  const { token_endpoint_auth_method: method } = client;
  const subjects = subjectMembers.filter((name) => client[name] !== undefined);
  const issues: ConfigIssue[] = [];
  if (client.tls_client_certificate_bound_access_tokens && mutualTls === undefined) {
    issues.push({
      path: "tls_client_certificate_bound_access_tokens",
      expected: "false, because the server has no mutual TLS",
      received: "true",
      hint: "Set mutualTls, or leave the member out.",
    });
  }
  // A server without mutual TLS ignores these members, like all that it does not know.
  const isUnused = subjects.length > 0 && mutualTls !== undefined;
  if (method === "tls_client_auth" ? subjects.length !== 1 : isUnused) {
    issues.push({
      path: subjects[0] ?? "tls_client_auth_subject_dn",
      expected: method === "tls_client_auth"
        ? `exactly one of ${subjectMembers.join(", ")}`
        : 'none, because token_endpoint_auth_method is not "tls_client_auth"',
      received: subjects.join(" and ") || "none",
      hint: "Name the subject, or one alternative name, of the certificate.",
    });
  }
  const hasCertificate = client.jwks_uri !== undefined || client.jwks?.keys.some(({ x5c }) => Array.isArray(x5c));
  if (method === "self_signed_tls_client_auth" && !hasCertificate) {
    issues.push({
      path: "jwks",
      expected: "a key with its certificate in x5c",
      received: client.jwks === undefined ? "nothing" : "no x5c",
      hint: "Add x5c to the key, a list with the DER bytes of the certificate as base64; or set jwks_uri.",
    });
  }
  return issues;
}

/** Lets clients authenticate and bind tokens by certificates. */
export const mutualTls: Extension<MutualTlsSettings> = {
  name: "mutual_tls",
  clientMetadata: { fields: mutualTlsClientFields, validate: validateClient },
  settings: {
    ...mutualTlsSettings,
    validate: async ({ mutualTls, clients }) =>
      mutualTls === undefined ? [] : await validateCertificates(mutualTls, clients),
  },
  clientAuthentication: [
    byCertificate("tls_client_auth", ({ mutualTls }) => (mutualTls?.authorities ?? []).length > 0),
    byCertificate("self_signed_tls_client_auth", ({ mutualTls }) => mutualTls !== undefined),
  ],
  metadata({ settings, certificateListener }, endpoints) {
    if (settings.mutualTls === undefined) return {};
    const { origin } = certificateListener ?? {};
    const aliases = endpoints.filter(({ caller, metadataName = "" }) =>
      caller !== "browser" && metadataName.endsWith("_endpoint")
    ).map(({ metadataName, path }) => [metadataName, `${origin}${path}`]);
    return {
      tls_client_certificate_bound_access_tokens: true,
      ...origin !== undefined && { mtls_endpoint_aliases: Object.fromEntries(aliases) },
    };
  },
  extend: (server) => ({
    ...server,
    possession: withCertificates(server.possession),
    certificateListener: { port: server.settings.mutualTls?.port },
  }),
};
