/** Describes the values of client metadata. {@link open} marks what clients may set themselves. */

import { clientAuthMethodNames, type ClientMetadata } from "./client_metadata.ts";
import type { ExtensionClientMembers } from "./extension_members.gen.ts";
import { providerFields } from "./server_settings.ts";
import { replacedClientMembers } from "./replaced_members.ts";
import { clientField as coreClientField, clientFields as core } from "../../core/clients/client_fields.ts";
import { signingAlgorithmField } from "../../core/policy/policy.ts";
import { profileNames } from "./strictness.ts";
import type { PublicKeySet } from "../../core/keys/jwk.ts";
import {
  anyValue,
  choice,
  type Field,
  flag,
  list,
  object,
  type ObjectField,
  record,
  text,
  texts,
} from "../../core/policy/field.ts";

/** Lets clients of a standing set a member of their metadata themselves, at registration or in a metadata document. */
export function open<F extends Field>(member: F, openFrom: "unknown" | "approved" = "unknown"): F {
  return { ...member, openFrom };
}

const publicKey = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };

/** The description of a set of public keys (RFC 7517 §5). */
export const keySetField: Field<PublicKeySet> = object<PublicKeySet>(
  "JsonWebKeySet",
  {
    keys: list(record(anyValue, publicKey, "a JSON Web Key"), [[publicKey]], { expected: "a list of keys" }),
  },
  { keys: [publicKey] },
  { expected: "a JWK Set", required: ["keys"], others: anyValue },
);

/** The members of every server. */
type OwnMembers = Omit<ClientMetadata, keyof ExtensionClientMembers>;

/** The description of the members of every server. */
const ownClientField: ObjectField<OwnMembers> = object<OwnMembers>(
  "ClientMetadata",
  {
    client_id: core.client_id,
    client_secret: core.client_secret,
    client_secret_expires_at: core.client_secret_expires_at,
    client_name: open(core.client_name),
    redirect_uris: open(core.redirect_uris),
    token_endpoint_auth_method: open(choice(clientAuthMethodNames)),
    jwks: open(keySetField),
    jwks_uri: { ...open(text(["https://app.example/jwks.json"])), isFetched: true },
    subject_type: open(choice(["public", "pairwise"])),
    // Each opaque access token is a record of the store.
    access_token_format: open(choice(["jwt", "opaque"]), "approved"),
    serves: texts(["https://api.example"]),
    post_logout_redirect_uris: open(texts(["http://localhost:3000/"])),
    profile: choice(profileNames),
    grant_types: open(core.grant_types),
    response_types: open(core.response_types),
    scope: open(core.scope),
    response_modes: open({ ...providerFields.responseModes, default: undefined }),
    id_token_signed_response_alg: open(core.id_token_signed_response_alg),
    userinfo_signed_response_alg: open(signingAlgorithmField),
    require_pkce: open(core.require_pkce),
    default_max_age: open(core.default_max_age),
    require_auth_time: open(flag(false)),
    application_type: open(core.application_type),
    client_uri: open(text(["https://app.example/"])),
    logo_uri: open(text(["https://app.example/logo.svg"])),
    policy_uri: open(text(["https://app.example/privacy"])),
    tos_uri: open(text(["https://app.example/terms"])),
    initiate_login_uri: open(text(["https://app.example/login"])),
    contacts: open(texts(["team@app.example"])),
  },
  coreClientField.examples[0]!,
  { required: coreClientField.required, replacedMembers: replacedClientMembers },
);

/** The description of {@link ClientMetadata} at a server that knows these extensions. */
export function clientFieldWith(
  extensions: readonly { readonly clientMetadata?: { readonly fields?: Readonly<Record<string, Field>> } }[],
): ObjectField<ClientMetadata> {
  const members = Object.assign(
    {},
    ownClientField.members,
    ...extensions.map(({ clientMetadata }) => clientMetadata?.fields),
  );
  return { ...ownClientField, members };
}
