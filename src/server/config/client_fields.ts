/** Describes the values of client metadata. {@link open} marks what clients may set themselves. */

import type { ClientAuthMethod, ClientMetadata, ResponseMode } from "./client_metadata.ts";
import type { ExtensionClientMembers } from "./extension_members.gen.ts";
import { replacedClientMembers } from "./replaced_members.ts";
import { signingAlgorithmField } from "./signing_algorithm_field.ts";
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
  whole,
} from "../../core/field.ts";

/** Lets clients of a standing set a member of their metadata themselves, at registration or in a metadata document. */
export function open<F extends Field>(member: F, openFrom: "unknown" | "approved" = "unknown"): F {
  return { ...member, openFrom };
}

/** The methods of client authentication, in the order of `token_endpoint_auth_methods_supported`. */
export const clientAuthMethodNames = [
  ...["client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt"] as const,
  ...["tls_client_auth", "self_signed_tls_client_auth", "none"] as const,
] satisfies readonly ClientAuthMethod[];

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

/** The names of all response modes. A server has those of `ownResponseModes` and of its extensions. */
export const responseModeNames: readonly ResponseMode[] = [
  ...["query", "fragment", "form_post", "jwt", "query.jwt", "fragment.jwt", "form_post.jwt"] as const,
];

/** The description of a list of response modes. */
export const responseModesField: Field<readonly ResponseMode[]> = list(choice(responseModeNames), [["query", "jwt"]], {
  min: 1,
  expected: "an array of response modes, at least one",
});

/** The members of every server. */
type OwnMembers = Omit<ClientMetadata, keyof ExtensionClientMembers>;

/** The description of the members of every server. */
export const ownClientField: ObjectField<OwnMembers> = object<OwnMembers>(
  "ClientMetadata",
  {
    client_id: text(["web"], {
      pattern: /^[\x20-\x7E]{1,256}$/,
      expected: "a string of 1 to 256 printable ASCII characters",
      hint: (value) => typeof value === "string" ? "Choose a short identifier." : undefined,
    }),
    client_secret: text(["correct-horse-battery-staple"], { mayBeReference: true }),
    client_secret_expires_at: whole(0, { min: 0, default: 0, expected: "a whole number of seconds since 1970, or 0" }),
    client_name: open(text(["Web shop"])),
    redirect_uris: open(texts(["http://localhost:3000/cb", "https://app.example/cb", "com.example.app:/cb"])),
    token_endpoint_auth_method: open(choice(clientAuthMethodNames)),
    jwks: open(keySetField),
    jwks_uri: { ...open(text(["https://app.example/jwks.json"])), isFetched: true },
    subject_type: open(choice(["public", "pairwise"])),
    // Each opaque access token is a record of the store.
    access_token_format: open(choice(["jwt", "opaque"]), "approved"),
    serves: texts(["https://api.example"]),
    post_logout_redirect_uris: open(texts(["http://localhost:3000/"])),
    profile: choice(profileNames),
    grant_types: open(texts(["authorization_code"])),
    response_types: open(texts(["code"], { default: ["code"] })),
    scope: open(text(["openid read"], { expected: "a string of space-separated scope values" })),
    response_modes: open(responseModesField),
    id_token_signed_response_alg: open(signingAlgorithmField),
    userinfo_signed_response_alg: open(signingAlgorithmField),
    require_pkce: open(flag(false)),
    default_max_age: open(whole(3600, { min: 0, expected: "a whole number of seconds, at least 0" })),
    require_auth_time: open(flag(false)),
    application_type: open(choice(["web", "native"])),
    client_uri: open(text(["https://app.example/"])),
    logo_uri: open(text(["https://app.example/logo.svg"])),
    policy_uri: open(text(["https://app.example/privacy"])),
    tos_uri: open(text(["https://app.example/terms"])),
    initiate_login_uri: open(text(["https://app.example/login"])),
    contacts: open(texts(["team@app.example"])),
  },
  { client_id: "spa", redirect_uris: ["http://localhost:5173/cb"] },
  { required: ["client_id"], replacedMembers: replacedClientMembers },
);

/** The description of {@link ClientMetadata} at a server that knows these extensions. */
export function clientFieldOf(
  extensions: readonly { readonly clientMetadata?: { readonly fields?: Readonly<Record<string, Field>> } }[],
): ObjectField<ClientMetadata> {
  const members = Object.assign(
    {},
    ownClientField.members,
    ...extensions.map(({ clientMetadata }) => clientMetadata?.fields),
  );
  return { ...ownClientField, members };
}
