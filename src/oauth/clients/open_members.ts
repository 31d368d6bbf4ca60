/** Which members of its metadata a client may set itself: in a registration request and in a metadata document. */

import { clientField, type ClientMetadata } from "./client.ts";
import { hasStanding, type Standing } from "./standing.ts";

/**
 * The members that a client may set itself, each with the standing from which on it may. Only the operator sets any
 * other member.
 */
export const openMembers: { readonly [Name in keyof ClientMetadata]?: Standing } = {
  redirect_uris: "unknown",
  token_endpoint_auth_method: "unknown",
  token_endpoint_auth_signing_alg: "unknown",
  jwks: "unknown",
  jwks_uri: "unknown",
  subject_type: "unknown",
  sector_identifier_uri: "unknown",
  // Each opaque access token is a record of the store.
  access_token_format: "approved",
  post_logout_redirect_uris: "unknown",
  backchannel_logout_uri: "unknown",
  backchannel_logout_session_required: "unknown",
  frontchannel_logout_uri: "unknown",
  frontchannel_logout_session_required: "unknown",
  userinfo_signed_response_alg: "unknown",
  client_name: "unknown",
  grant_types: "unknown",
  response_types: "unknown",
  scope: "unknown",
  authorization_details_types: "unknown",
  response_modes: "unknown",
  authorization_signed_response_alg: "unknown",
  introspection_signed_response_alg: "unknown",
  id_token_signed_response_alg: "unknown",
  id_token_encrypted_response_alg: "unknown",
  id_token_encrypted_response_enc: "unknown",
  userinfo_encrypted_response_alg: "unknown",
  userinfo_encrypted_response_enc: "unknown",
  backchannel_token_delivery_mode: "unknown",
  require_pkce: "unknown",
  require_pushed_authorization_requests: "unknown",
  dpop_bound_access_tokens: "unknown",
  require_signed_request_object: "unknown",
  request_object_signing_alg: "unknown",
  default_acr_values: "unknown",
  default_max_age: "unknown",
  require_auth_time: "unknown",
  application_type: "unknown",
  client_uri: "unknown",
  logo_uri: "unknown",
  policy_uri: "unknown",
  tos_uri: "unknown",
  contacts: "unknown",
};

/** Whether a client of this standing may set a member of its metadata itself. */
export function isOpenTo(name: string, standing: Standing): boolean {
  const from = openMembers[name as keyof ClientMetadata];
  return from !== undefined && hasStanding({ standing }, from);
}

/** The members of the client metadata that a client of this standing may set itself. */
export function membersOpenTo(standing: Standing): readonly (keyof ClientMetadata)[] {
  return (Object.keys(openMembers) as (keyof ClientMetadata)[])
    .filter((name) => hasStanding({ standing }, openMembers[name]!));
}

/** The known members of received metadata that a client of this standing may not set. */
export function closedMembers(received: Readonly<Record<string, unknown>>, standing: Standing): readonly string[] {
  const open: readonly string[] = membersOpenTo(standing);
  return Object.keys(clientField.members).filter((name) => Object.hasOwn(received, name) && !open.includes(name));
}
