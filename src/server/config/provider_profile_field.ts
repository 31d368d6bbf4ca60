/** The description of the profile of a provider. */

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
import type { EndpointPaths } from "./endpoint_paths.ts";
import type { ProviderFunctions } from "./provider_functions.ts";
import type { FixedClaims, ProviderProfile } from "./provider_profile.ts";
import { providerFields } from "./server_settings.ts";

const claims = record(anyValue, { tier: "gold" }, "an object");

const claimsByScope = record(claims, { "*": { tier: "gold" } }, "an object of objects");

const functionField: Field<never> = {
  type: "function",
  expected: "a function",
  examples: [],
  hint: () => "Pass the profile in a program: latchkey({ profile: { name, functions } }).",
};

/** Describes {@link ProviderProfile} at a server with these paths of endpoints. */
export function providerProfileField(paths: Field<EndpointPaths>): ObjectField<ProviderProfile> {
  const members = {
    name: text(["my-provider"], { pattern: /^[\w.@-]{1,60}$/, expected: "1 to 60 letters, digits and -._@" }),
    issuerPath: text(["/oauth2/default"], {
      pattern: /^(?:\/[\w~-][\w.~-]*)*\/?$/,
      expected: "a path such as /oauth2/default, or /",
    }),
    scopes: texts(["openid", "profile", "email"]),
    accepts: record(
      list<"json" | "query">(choice(["json", "query"]), [["json"]]),
      { token_endpoint: ["json"] },
      "an object of arrays",
    ),
    metadataMembers: texts(["issuer", "token_endpoint"]),
    redirectsAfterLogout: flag(),
    refreshesByDefault: flag(),
    fixedClaims: object<FixedClaims>("FixedClaims", {
      access_token: claimsByScope,
      id_token: claimsByScope,
      userinfo: claimsByScope,
      client_credentials: record(claims, { worker: { tier: "gold" } }, "an object of objects"),
    }, { access_token: { "*": { tier: "gold" } } }),
    functions: object<ProviderFunctions>("ProviderFunctions", {
      claims: functionField,
      originalClaims: functionField,
      request: functionField,
      response: functionField,
      error: functionField,
      callback: functionField,
    }, {}),
    ...providerFields,
    paths,
  };
  const example: ProviderProfile = { name: "my-provider", issuerPath: "/oauth2/default" };
  return object<ProviderProfile>("ProviderProfile", members, example, {
    required: ["name"],
    replacedMembers: {
      shapes: "Use functions, in a program: latchkey({ profile: { name, functions } }).",
    },
  });
}
