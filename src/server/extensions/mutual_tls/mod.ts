/** Mutual TLS (RFC 8705): clients authenticate, and prove that tokens are theirs, by a certificate. */

import type { Extension } from "../../config/extension.ts";
import type { ConfigIssue } from "../../../core/rules/configuration_error.ts";
import type { ClientMetadata } from "../../config/client_metadata.ts";
import type { ClientAuth, Server } from "../../../core/server.ts";
import {
  bindsToCertificate,
  confirmationMember,
  mutualTlsClientFields,
  mutualTlsOf,
  type MutualTlsSettings,
  mutualTlsSettings,
  subjectMembers,
  validateCertificates,
} from "./settings.ts";
import { invalidGrantBy } from "../../../core/token/grants/narrow_grant.ts";
import { unusableToken } from "../../../core/token/grants/refresh_token.ts";
import type { OAuthError } from "../../../core/rules/errors.ts";
import { certificateKey, confirmationStep, hasKey, type KeyKind, withBoundTokens } from "../bound_tokens/mod.ts";
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
    // No parameter names it: see `withCertificateMethods`.
    isUsed: () => false,
    claimedId: ({ params }) => params.get("client_id"),
    async authenticate(server: HostedServer, credentials) {
      const { authenticateByCertificate } = await load();
      return await authenticateByCertificate(server, credentials, method);
    },
  };
}

/** The methods. A request without other credentials uses the one that its client is registered for. */
const methods = [
  byCertificate("tls_client_auth", ({ mutualTls }) => (mutualTls?.authorities ?? []).length > 0),
  byCertificate("self_signed_tls_client_auth", ({ mutualTls }) => mutualTls !== undefined),
];

/** Lets a request without other credentials use the method that its client is registered for. */
function withCertificateMethods(server: HostedServer): HostedServer {
  if (mutualTlsOf(server.policy) === undefined) return server;
  return {
    ...server,
    clientAuthentication: server.clientAuthentication.map((clientAuth) => {
      if (clientAuth.method !== "none") return clientAuth;
      return {
        ...clientAuth,
        async authenticate(current, credentials) {
          const named = credentials.params.get("client_id") ?? "";
          const client = await current.clients.find(named, current);
          const byCertificate = methods.find(({ method }) => method === client?.authMethod);
          const isOn = current.clientAuthentication.some(({ method }) => method === byCertificate?.method);
          // Looked up once, whether the client is known or not (CA-07).
          const clients = {
            ...current.clients,
            find: (id: string, sender?: Server) => id === named ? client : current.clients.find(id, sender),
          };
          return await (isOn ? byCertificate! : clientAuth).authenticate({ ...current, clients }, credentials);
        },
      };
    }),
  };
}

/** Verifies the certificates of token requests, and requires the one that an access token is bound to. */
function withCertificates(server: HostedServer): HostedServer {
  const { presentedTokens, responses } = server;
  return {
    ...server,
    responses: {
      ...responses,
      async token(server: HostedServer, request) {
        if (!bindsToCertificate(request.client)) return await responses.token(server, request);
        const { requireCertificate } = await load();
        return await responses.token(server, certificateKey.put(request, requireCertificate(server, request)));
      },
    },
    presentedTokens: {
      ...presentedTokens,
      async assertHolder(server: HostedServer, request, sent, claims) {
        const { [confirmationMember]: thumbprint, jkt } = claims.cnf ?? {};
        if (thumbprint === undefined) return await presentedTokens.assertHolder(server, request, sent, claims);
        (await load()).assertSameCertificate(server, request, thumbprint);
        const isProven = jkt === undefined && sent.scheme === "Bearer";
        return isProven ? {} : await presentedTokens.assertHolder(server, request, sent, claims);
      },
    },
  };
}

function otherCertificate(expected: string, received: string | undefined): OAuthError {
  return invalidGrantBy<typeof mutualTlsRules>("RT-07", unusableToken)({
    rule: "MT-07",
    name: "refresh token",
    expected: `${confirmationMember}:${expected}`,
    received: received === undefined ? "no certificate" : `${confirmationMember}:${received}`,
  });
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

const certificateKind: KeyKind = { key: certificateKey, member: confirmationMember, unproven: otherCertificate };

/** Lets clients authenticate and bind tokens by certificates. */
export const mutualTls: Extension<MutualTlsSettings> = {
  name: "mutual_tls",
  clientMetadata: { fields: mutualTlsClientFields, validate: validateClient },
  settings: {
    ...mutualTlsSettings,
    validate: async ({ mutualTls, clients }) =>
      mutualTls === undefined ? [] : await validateCertificates(mutualTls, clients),
  },
  clientAuthentication: methods,
  metadata({ policy, certificateListener }, endpoints) {
    if (policy.mutualTls === undefined) return {};
    const { origin } = certificateListener ?? {};
    const aliases = endpoints.filter(({ caller, metadataName = "" }) =>
      caller !== "browser" && metadataName.endsWith("_endpoint")
    ).map(({ metadataName, path }) => [metadataName, `${origin}${path}`]);
    return {
      tls_client_certificate_bound_access_tokens: true,
      ...origin !== undefined && { mtls_endpoint_aliases: Object.fromEntries(aliases) },
    };
  },
  steps: {
    accessTokenClaims: [confirmationStep(certificateKind)],
    visibleClaims: [{
      name: "token_type of mutual TLS",
      // The scheme of such a token is Bearer (RFC 8705 §3).
      run: (_server, { token_type = "Bearer" }, _client, claims) =>
        hasKey(claims, confirmationMember) ? { token_type } : {},
    }],
  },
  extend: (server) => ({
    ...withBoundTokens(withCertificateMethods(withCertificates(server)), certificateKind),
    certificateListener: { port: server.policy.mutualTls?.port },
  }),
};
