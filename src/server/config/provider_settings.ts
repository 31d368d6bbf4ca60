/** The descriptions of the settings that the profile of a provider can set. */

import { anyValue, choice, type Fields, record, text, texts } from "./field.ts";
import { endpointPathsField } from "./endpoint_paths.ts";
import { signingAlgorithmField } from "./signing_algorithm_field.ts";
import type { ProviderSettings } from "./server_settings.ts";
import { lifetimes, origin, pkce, refresh, tokenPrefixes } from "./setting_groups.ts";

/** Describes {@link ProviderSettings}. */
export const providerFields = {
  defaultScope: text(["read"], { expected: "a string of space-separated scope values" }),
  claims: record(texts(["groups"]), { groups: ["groups"], profile: ["employee_no"] }, "an object of arrays of strings"),
  unmappedClaims: choice(["openid", "none"]),
  idTokenClaims: choice(["minimal", "like-userinfo"], { default: "minimal" }),
  accessTokenClaims: texts(["roles"], { default: [] }),
  alg: { ...signingAlgorithmField, default: "RS256" },
  accessTokenTyp: choice(["at+jwt", "JWT", "none"], { default: "at+jwt" }),
  audience: text(["https://api.example.com"]),
  lifetimes,
  pkce,
  metadata: record(anyValue, { authorization_response_iss_parameter_supported: false }, "an object"),
  paths: endpointPathsField([]),
  tokenRedirectUri: choice(["required", "optional"], { default: "required" }),
  origins: record(origin("https://auth.example.com"), { issuer: "https://auth.example.com" }, "an object of origins"),
  accessTokenFormat: choice(["jwt", "opaque"], { default: "jwt" }),
  tokenPrefixes,
  refresh,
} as const satisfies Fields<ProviderSettings>;
