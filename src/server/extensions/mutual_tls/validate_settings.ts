/** All issues of the setting `mutualTls`, and of the certificates of clients. */

import { quote } from "../../config/config_issue.ts";
import type { ConfigIssue } from "../../../core/configuration_error.ts";
import type { ClientMetadata } from "../../config/client_metadata.ts";
import type { MutualTlsOptions } from "./settings.ts";

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
