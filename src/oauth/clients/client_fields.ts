/** The description of a client and of a user; the comments of their interfaces are the documentation. */

import { anyValue, choice, type Field, flag, list, object, record, text, texts, whole } from "../config/field.ts";
import { signingAlgorithms, verificationAlgorithms } from "../keys/signing_algorithm.ts";
import type { PublicKeySet } from "../keys/remote_keys.ts";
import type { ClientAuthMethod, ClientMetadata, User } from "./client.ts";

const assertionAlgorithms = [...verificationAlgorithms, "HS256", "HS384", "HS512"];

/** The methods of client authentication, in the order of `token_endpoint_auth_methods_supported`. */
export const clientAuthMethodNames = [
  ...["client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt", "none"] as const,
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

/** The description of {@link ClientMetadata}. */
export const clientField = object<ClientMetadata>(
  "ClientMetadata",
  {
    client_id: text(["web"], {
      pattern: /^[\x20-\x7E]{1,256}$/,
      expected: "a string of 1 to 256 printable ASCII characters",
      hint: (value) => typeof value === "string" ? "Choose a short identifier." : undefined,
    }),
    client_secret: text(["correct-horse-battery-staple"], { isSecret: true }),
    client_secret_expires_at: whole(0, { min: 0, default: 0, expected: "a whole number of seconds since 1970, or 0" }),
    client_name: text(["Web shop"]),
    redirect_uris: texts(["http://localhost:3000/cb", "https://app.example/cb", "com.example.app:/cb"]),
    token_endpoint_auth_method: choice(clientAuthMethodNames),
    token_endpoint_auth_signing_alg: choice(assertionAlgorithms),
    jwks: keySetField,
    jwks_uri: text(["https://app.example/jwks.json"]),
    subject_type: choice(["public", "pairwise"]),
    sector_identifier_uri: text(["https://shop.example/sector.json"]),
    access_token_format: choice(["jwt", "opaque"]),
    serves: texts(["https://api.example"]),
    post_logout_redirect_uris: texts(["http://localhost:3000/"]),
    userinfo_signed_response_alg: choice(signingAlgorithms),
    grant_types: texts(["authorization_code"], { default: ["authorization_code"] }),
    response_types: texts(["code"], { default: ["code"] }),
    scope: text(["openid read"], { expected: "a string of space-separated scope values" }),
    id_token_signed_response_alg: choice(signingAlgorithms),
    require_pkce: flag(false),
    require_pushed_authorization_requests: flag(false),
    application_type: choice(["web", "native"]),
    client_uri: text(["https://app.example/"]),
    logo_uri: text(["https://app.example/logo.svg"]),
    policy_uri: text(["https://app.example/privacy"]),
    tos_uri: text(["https://app.example/terms"]),
    contacts: texts(["team@app.example"]),
  },
  { client_id: "spa", redirect_uris: ["http://localhost:5173/cb"] },
  { required: ["client_id"] },
);

const digest = "$scrypt$ln=15,r=8,p=3$4fXXG0spB92WPB1NitT8/Q$dAf4FAXv5aPZ5rXGwYtVjPyLZkUJzYV6c9xJFXG1bBo";

/** The description of {@link User}, which may have any other member. */
export const userField = object<Pick<User, "sub" | "name" | "email" | "password">>(
  "User",
  {
    sub: text(["alice"], {
      pattern: /^[\x21-\x7E]{1,255}$/,
      expected: "a string of 1 to 255 printable ASCII characters without spaces",
      hint: (value) => typeof value === "string" ? "Choose a short identifier that never changes." : undefined,
    }),
    name: text(["Alice"]),
    email: text(["alice@example.com"]),
    password: text([digest], {
      isSecret: true,
      expected: "the scrypt digest of a password, as latchkey hash-password prints it",
    }),
  },
  { sub: "alice", name: "Alice", email: "alice@example.com" },
  { required: ["sub"], others: anyValue },
);

/** The description of a client that is registered at run time: unknown metadata is ignored (RFC 7591 §2). */
export const registeredClientField: Field<ClientMetadata> = { ...clientField, others: anyValue };

/** The description of a user outside a file: a standard claim of a wrong type causes a warning there, not an issue. */
export const registeredUserField: Field<User> = {
  ...userField,
  members: { sub: userField.members.sub, password: userField.members.password },
};
