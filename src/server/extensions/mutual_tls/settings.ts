/** The setting `mutualTls` (RFC 8705). */

import { describeSettings } from "../../config/extension_settings.ts";
import { choice, type FieldsOf, flag, list, object, text, whole } from "../../../core/policy/field.ts";
import { quote } from "../../config/config_issue.ts";
import { open } from "../../config/client_fields.ts";
import type { ConfigIssue } from "../../../core/rules/configuration_error.ts";
import type { Client } from "../../../core/clients/clients.ts";
import { type ClientMetadata, metadataOf } from "../../config/client_metadata.ts";

/** @internal Mutual TLS (RFC 8705). */
export interface MutualTlsOptions {
  /**
   * The certificates of the authorities whose certificates clients may present for `tls_client_auth`, each as PEM.
   * Default: none, and `tls_client_auth` is not offered.
   */
  readonly authorities?: readonly string[];
  /**
   * The header in which the proxies of `trustProxy` send the certificate of the client (RFC 9440). They must remove
   * this header from requests of clients. Default: `none`.
   */
  readonly proxyHeader?: "none" | "client-cert";
  /**
   * The port of a second listener, which asks clients for a certificate; 0 picks a free one. Metadata names it in
   * `mtls_endpoint_aliases` (RFC 8705 §5). Needs TLS, and Node or Deno. Default: none.
   */
  readonly port?: number;
}

/** @internal */
export interface MutualTlsSettings {
  /**
   * Lets clients authenticate, and bind their tokens, by the certificate of their connection (RFC 8705). Default:
   * off.
   */
  readonly mutualTls?: MutualTlsOptions;
}

/** Describes {@link MutualTlsSettings}. */
export const mutualTlsFields: FieldsOf<MutualTlsSettings> = {
  mutualTls: object<MutualTlsOptions>("MutualTlsOptions", {
    authorities: list(text(["-----BEGIN CERTIFICATE-----…"], { mayBeReference: true }), [[
      "-----BEGIN CERTIFICATE-----…",
    ]]),
    proxyHeader: choice(["none", "client-cert"], { default: "none" }),
    port: whole(9443, { min: 0, max: 65535, expected: "a port: a whole number from 0 to 65535" }),
  }, {}),
};

/** Describes the setting, and reads it from a policy. */
export const mutualTlsSettings = describeSettings<MutualTlsSettings>({
  fields: mutualTlsFields,
});

/** The setting of a server; `undefined` if mutual TLS is off. */
export function mutualTlsOf(policy: object): MutualTlsOptions | undefined {
  return mutualTlsSettings.of(policy).mutualTls;
}

/** The member of `cnf` with the thumbprint of a certificate (RFC 8705 §3.1). */
export const confirmationMember = "x5t#S256";

/** Client metadata of mutual TLS (RFC 8705 §2.1.2, §3.4). */
export interface MutualTlsClientMembers {
  /** Binds access tokens to the certificate of the token request (RFC 8705 §3). Default: false. */
  readonly tls_client_certificate_bound_access_tokens?: boolean;
  /** The subject of its certificate for `tls_client_auth`, as in RFC 4514: `CN=api,O=Example,C=DE`. */
  readonly tls_client_auth_subject_dn?: string;
  /** A DNS name of its certificate for `tls_client_auth`. */
  readonly tls_client_auth_san_dns?: string;
  /** A URI of its certificate for `tls_client_auth`. */
  readonly tls_client_auth_san_uri?: string;
  /** An IP address of its certificate for `tls_client_auth`. */
  readonly tls_client_auth_san_ip?: string;
  /** An e-mail address of its certificate for `tls_client_auth`. */
  readonly tls_client_auth_san_email?: string;
}

/** Whether the access tokens of a client are bound to the certificates of its token requests. */
export function bindsToCertificate(client: Client): boolean {
  return metadataOf(client).tls_client_certificate_bound_access_tokens === true;
}

/** Describes {@link MutualTlsClientMembers}. */
export const mutualTlsClientFields: FieldsOf<MutualTlsClientMembers> = {
  tls_client_certificate_bound_access_tokens: { ...open(flag(false)), isDemand: true },
  tls_client_auth_subject_dn: open(text(["CN=api,O=Example,C=DE"])),
  tls_client_auth_san_dns: open(text(["api.example"])),
  tls_client_auth_san_uri: open(text(["https://api.example"])),
  tls_client_auth_san_ip: open(text(["192.0.2.7"])),
  tls_client_auth_san_email: open(text(["api@example.com"])),
};

/** The members of which a client of `tls_client_auth` has exactly one. */
export const subjectMembers = [
  ...["tls_client_auth_subject_dn", "tls_client_auth_san_dns", "tls_client_auth_san_uri"] as const,
  ...["tls_client_auth_san_ip", "tls_client_auth_san_email"] as const,
] satisfies readonly (keyof MutualTlsClientMembers)[];

/** All issues of the certificates of the configuration: of authorities, and of clients. */
export async function validateCertificates(
  { authorities = [] }: MutualTlsOptions,
  clients: readonly ClientMetadata[],
): Promise<readonly ConfigIssue[]> {
  const registered = clients.flatMap(({ token_endpoint_auth_method: method, jwks }, i) =>
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
