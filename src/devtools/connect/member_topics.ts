/** The members of client metadata by topic, in the order of pages. */

import type { ClientMetadata } from "../../server/config/client_metadata.ts";

type Name = keyof ClientMetadata;

/** The members that say what requests of a client must have. */
const requestMembers: readonly Name[] = [
  ...["require_pkce", "require_pushed_authorization_requests", "require_signed_request_object"] as const,
  ...["request_object_signing_alg", "dpop_bound_access_tokens"] as const,
  ...["tls_client_certificate_bound_access_tokens", "profile"] as const,
  ...["default_acr_values", "default_max_age", "require_auth_time"] as const,
];

/** The members that say what a client receives. */
const responseMembers: readonly Name[] = [
  ...["response_modes", "access_token_format", "id_token_signed_response_alg"] as const,
  ...["userinfo_signed_response_alg", "authorization_signed_response_alg"] as const,
  ...["introspection_signed_response_alg", "id_token_encrypted_response_alg"] as const,
  ...["id_token_encrypted_response_enc", "userinfo_encrypted_response_alg"] as const,
  ...["userinfo_encrypted_response_enc", "subject_type", "sector_identifier_uri"] as const,
];

/** The members by topic. A member of no topic is in the form all the same, at its end. */
export const memberTopics: Readonly<Record<string, readonly Name[]>> = {
  "Name and redirects": ["client_name", "redirect_uris", "initiate_login_uri", "post_logout_redirect_uris"],
  "Authentication and keys": [
    ...["token_endpoint_auth_method", "client_secret_expires_at", "token_endpoint_auth_signing_alg"] as const,
    ...["jwks", "jwks_uri", "tls_client_auth_subject_dn", "tls_client_auth_san_dns"] as const,
    ...["tls_client_auth_san_uri", "tls_client_auth_san_ip", "tls_client_auth_san_email"] as const,
  ],
  "Grants and scope": ["grant_types", "response_types", "scope", "authorization_details_types", "serves"],
  "What requests must have": requestMembers,
  "Responses and tokens": responseMembers,
};

/** The members that the page of a client shows if they are set; it shows the profile elsewhere. */
export const requestAndResponseMembers: readonly Name[] = [
  ...requestMembers.filter((name) => name !== "profile"),
  ...responseMembers,
];
