/** Mutual TLS (RFC 8705): clients authenticate, and prove that tokens are theirs, by a certificate. */

import type { Extension } from "../../assembly/extension.ts";
import { type ConfigIssue, quote } from "../../oauth/config_issue.ts";
import type { FilledSettings } from "../../config/fill_settings.ts";
import type { ClientMetadata } from "../../oauth/clients/client.ts";
import type { ClientAuth, Server } from "../../oauth/server.ts";
import { mutualTlsClientFields, subjectMembers } from "./client_members.ts";
import { invalidGrantBy } from "../../oauth/grants/narrow_grant.ts";
import type { mutualTlsRules } from "./rules.ts";
import { confirmationMember, mutualTlsFields, mutualTlsOf } from "./settings.ts";

function byCertificate(
  method: "tls_client_auth" | "self_signed_tls_client_auth",
  isOn: (settings: object) => boolean,
): ClientAuth {
  return {
    method,
    isOn,
    isOfConnection: true,
    isUsed: () => false,
    claimedId: ({ params }) => params.get("client_id"),
    async authenticate(server, credentials) {
      const { authenticateByCertificate } = await import("./authenticate.ts");
      return await authenticateByCertificate(server, credentials, method);
    },
  };
}

function boundThumbprint(cnf: unknown): unknown {
  return (Object(cnf) as Readonly<Record<string, unknown>>)[confirmationMember];
}

const connectionKeys: NonNullable<Server["connectionKeys"]> = {
  tokenKey(server, request) {
    if (request.client.metadata.tls_client_certificate_bound_access_tokens !== true) return undefined;
    return import("./bound_tokens.ts").then(({ requireCertificate }) => requireCertificate(server, request));
  },
  unprovenKey({ name, rule, message }, expected, received = "no certificate") {
    const invalidGrant = invalidGrantBy<typeof mutualTlsRules>(rule, message);
    return invalidGrant({ rule: "MT-07", name, expected, received });
  },
  isBound: (cnf) => boundThumbprint(cnf) !== undefined,
  async assertProven(server, request, cnf) {
    const { assertSameCertificate } = await import("./bound_tokens.ts");
    assertSameCertificate(server, request, boundThumbprint(cnf));
  },
};

/** All issues of a client: its method needs one subject, or its certificates; both need the setting. */
function validateClient(client: ClientMetadata, settings: object): readonly ConfigIssue[] {
  const { token_endpoint_auth_method: method } = client;
  const subjects = subjectMembers.filter((name) => client[name] !== undefined);
  const issues: ConfigIssue[] = [];
  if (client.tls_client_certificate_bound_access_tokens && mutualTlsOf(settings) === undefined) {
    issues.push({
      path: "tls_client_certificate_bound_access_tokens",
      expected: "false, because the server has no mutual TLS",
      received: "true",
      hint: "Set mutualTls, or leave the member out.",
    });
  }
  // A server without mutual TLS ignores these members, like all that it does not know.
  const isUnused = subjects.length > 0 && mutualTlsOf(settings) !== undefined;
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

/** All issues of the certificates of the configuration: of authorities, and of clients. */
async function validateCertificates(settings: FilledSettings): Promise<readonly ConfigIssue[]> {
  const mutualTls = mutualTlsOf(settings);
  if (mutualTls === undefined) return [];
  const { authorities = [] } = mutualTls;
  const registered = settings.clients.flatMap(({ token_endpoint_auth_method: method, jwks }, i) =>
    method !== "self_signed_tls_client_auth"
      ? []
      : (jwks?.keys ?? []).flatMap(({ x5c }, j) =>
        Array.isArray(x5c) ? [{ path: `clients[${i}].jwks.keys[${j}].x5c[0]`, text: x5c[0] }] : []
      )
  );
  if (authorities.length === 0 && registered.length === 0) return [];
  const { parseCertificate } = await import("../../../platform/runtime/certificate.ts");
  const unreadable = registered.filter(({ text }) =>
    typeof text !== "string" || parseCertificate(text)?.base64 !== text
  );
  const clientIssues = unreadable.map(({ path, text }) => ({
    path,
    expected: "the DER bytes of a certificate, as base64",
    received: quote(typeof text === "string" ? text.slice(0, 30) : text),
    hint: "Give the output of openssl x509 -in client.pem -outform der | base64, without line breaks.",
  }));
  const authorityIssues = authorities.flatMap((pem, i) => {
    const { isAuthority, version } = parseCertificate(pem) ?? {};
    return isAuthority ? [] : [{
      path: `mutualTls.authorities[${i}]`,
      expected: "the certificate of an authority, as PEM",
      received: version === undefined
        ? quote(pem.slice(0, 30))
        : `one of version ${version} that may not issue certificates`,
      hint: "Give the content of a file that begins with -----BEGIN CERTIFICATE----- and may issue certificates: of " +
        'version 3, as openssl req -x509 makes them; in a configuration file { "file": "ca.pem" } stands for it.',
    }];
  });
  return [...clientIssues, ...authorityIssues];
}

/** Lets clients authenticate and bind tokens by certificates. */
export const mutualTls: Extension = {
  name: "mutual_tls",
  title: "Mutual TLS",
  specifications: ["RFC 8705", "RFC 9440"],
  clientFields: mutualTlsClientFields,
  settingFields: mutualTlsFields,
  validateSettings: validateCertificates,
  validateClient,
  clientAuthentication: [
    byCertificate("tls_client_auth", (settings) => (mutualTlsOf(settings)?.authorities ?? []).length > 0),
    byCertificate("self_signed_tls_client_auth", (settings) => mutualTlsOf(settings) !== undefined),
  ],
  metadata({ settings, connectionKeys }, endpoints) {
    if (mutualTlsOf(settings) === undefined) return {};
    const { certificateOrigin } = connectionKeys ?? {};
    const aliases = endpoints.filter(({ caller, metadataName = "" }) =>
      caller !== "browser" && metadataName.endsWith("_endpoint")
    ).map(({ metadataName, path }) => [metadataName, `${certificateOrigin}${path}`]);
    return {
      tls_client_certificate_bound_access_tokens: true,
      ...certificateOrigin !== undefined && { mtls_endpoint_aliases: Object.fromEntries(aliases) },
    };
  },
  extend: (server) => ({
    ...server,
    connectionKeys: { ...connectionKeys, certificatePort: mutualTlsOf(server.settings)?.port },
  }),
};
