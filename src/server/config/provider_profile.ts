/** The profile of a provider: its type, its documentation and its description. */

import { anyValue, choice, type Field, list, object, type ObjectField, record, text, texts } from "../oauth/field.ts";
import type { EndpointPaths } from "../oauth/issuer_urls.ts";
import type { Members, ProviderFunctions } from "../profiles/provider_functions.ts";
import { providerFields } from "./provider_settings.ts";
import type { ProviderSettings } from "../oauth/policy_settings.ts";
import { requestFields } from "./setting_groups.ts";
import type { RequestSettings } from "../oauth/policy_settings.ts";

/**
 * The profile of a provider: values for the settings that are not set, so that the server responds as the provider
 * does. A setting of the configuration overrides its value; of an object, such as `paths`, each member.
 */
export interface ProviderProfile extends ProviderSettings, RequestSettings {
  /** The name, for messages. */
  readonly name: string;
  /**
   * The path of the issuer if the setting `issuer` is not set, such as `/oauth2/default`; `/` for an issuer whose only
   * path is a slash at its end. Default: none.
   */
  readonly issuerPath?: string;
  /** All scope values. Default: those of a server without the setting. */
  readonly scopes?: readonly string[];
  /**
   * What endpoints accept besides a form, by their names in metadata: parameters as JSON, or in the query. With
   * `query`, a GET request may have its access token there. Only on test hosts. Each such request causes a warning.
   * Default: a form only.
   */
  readonly accepts?: Readonly<Record<string, readonly ("json" | "query")[]>>;
  /**
   * The members of metadata documents, besides those of the setting `metadata`; others are left out. Only on test
   * hosts. Default: all.
   */
  readonly metadataMembers?: readonly string[];
  /** Claims with the same value for every user; only on test hosts. Default: none. */
  readonly fixedClaims?: FixedClaims;
  /** How requests, responses and claims differ from the standards; only in a program and on test hosts. */
  readonly functions?: ProviderFunctions;
}

/** @internal Claims, by the scope value that releases them; with `*`, they are always there. */
export interface FixedClaims {
  /** Claims of access tokens. */
  readonly access_token?: Readonly<Record<string, Members>>;
  /** Claims of ID tokens. */
  readonly id_token?: Readonly<Record<string, Members>>;
  /** Members of userinfo responses. */
  readonly userinfo?: Readonly<Record<string, Members>>;
}

/** What a profile has besides settings and functions. */
export type ProviderData = Pick<ProviderProfile, "accepts" | "metadataMembers" | "fixedClaims">;

const claimsByScope = record(
  record(anyValue, { tier: "gold" }, "an object"),
  { "*": { tier: "gold" } },
  "an object of objects",
);

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
    fixedClaims: object<FixedClaims>("FixedClaims", {
      access_token: claimsByScope,
      id_token: claimsByScope,
      userinfo: claimsByScope,
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
    ...requestFields,
    paths,
  };
  const example: ProviderProfile = { name: "my-provider", issuerPath: "/oauth2/default" };
  return object<ProviderProfile>("ProviderProfile", members, example, {
    required: ["name"],
    formerMembers: {
      shapes: "Use functions, in a program: latchkey({ profile: { name, functions } }).",
    },
  });
}
