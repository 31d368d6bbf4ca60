/** Describes the client metadata and the members of users that the core reads. The whole server adds members. */

import { anyValue, choice, type FieldsOf, flag, object, text, texts, whole } from "../policy/field.ts";
import { coreAuthMethods, policyFields, signingAlgorithmField } from "../policy/policy.ts";
import type { ClientMetadata, User } from "./client.ts";

/** Describes the client metadata that the core reads. */
export const clientFields = {
  client_id: text(["web"], {
    pattern: /^[\x20-\x7E]{1,256}$/,
    expected: "a string of 1 to 256 printable ASCII characters",
    hint: (text) => text === undefined ? undefined : "Choose a short identifier.",
  }),
  client_secret: text(["correct-horse-battery-staple"], { mayBeReference: true }),
  client_secret_expires_at: whole(0, { min: 0, default: 0, expected: "a whole number of seconds since 1970, or 0" }),
  client_name: text(["Web shop"]),
  redirect_uris: texts(["http://localhost:3000/cb", "https://app.example/cb", "com.example.app:/cb"]),
  token_endpoint_auth_method: choice<string, object>(coreAuthMethods),
  grant_types: texts(["authorization_code"]),
  response_types: texts(["code"], { default: ["code"] }),
  scope: text(["openid read"], { expected: "a string of space-separated scope values" }),
  response_modes: { ...policyFields.responseModes, default: undefined },
  id_token_signed_response_alg: signingAlgorithmField,
  require_pkce: flag(false),
  default_max_age: whole(3600, { min: 0, expected: "a whole number of seconds, at least 0" }),
  application_type: choice(["web", "native"]),
} satisfies FieldsOf<ClientMetadata>;

/** Describes the client metadata of a server without extensions. */
export const clientField = object<ClientMetadata>(
  "ClientMetadata",
  clientFields,
  { client_id: "spa", redirect_uris: ["http://localhost:5173/cb"] },
  { required: ["client_id"] },
);

/** Describes users, who may have any other member. */
export const userField = object<Pick<User, "sub">>(
  "User",
  {
    sub: text(["alice"], {
      pattern: /^[\x21-\x7E]{1,255}$/,
      expected: "a string of 1 to 255 printable ASCII characters without spaces",
      hint: (text) => text === undefined ? undefined : "Choose a short identifier that never changes.",
    }),
  },
  { sub: "alice" },
  { required: ["sub"], others: anyValue },
);
