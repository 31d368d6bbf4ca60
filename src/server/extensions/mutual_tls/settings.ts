/** The setting `mutualTls` (RFC 8705). */

import { choice, type Fields, object, texts } from "../../config/field.ts";

/** Mutual TLS (RFC 8705). */
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
export const mutualTlsFields: Fields<MutualTlsSettings> = {
  mutualTls: object<MutualTlsOptions>("MutualTlsOptions", {
    authorities: texts(["-----BEGIN CERTIFICATE-----…"]),
    proxyHeader: choice(["none", "client-cert"], { default: "none" }),
  }, {}),
};

/** The settings of a server; `undefined` if mutual TLS is off. */
export function mutualTlsOf(settings: object): MutualTlsOptions | undefined {
  return (settings as MutualTlsSettings).mutualTls;
}

/** The member of `cnf` with the thumbprint of a certificate (RFC 8705 §3.1). */
export const confirmationMember = "x5t#S256";
