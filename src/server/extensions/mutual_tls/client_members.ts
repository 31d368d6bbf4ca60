import { type Fields, flag, text } from "../../config/field.ts";
import { open } from "../../config/client_fields.ts";

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

/** Describes {@link MutualTlsClientMembers}. */
export const mutualTlsClientFields: Fields<MutualTlsClientMembers> = {
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
