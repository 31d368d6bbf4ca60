/** The profile of a provider: its type, its documentation and its description. */

import { type Field, object, type ObjectField, text, texts } from "./field.ts";
import type { EndpointPaths } from "./issuer_urls.ts";
import { type ProviderShapes, providerShapesField } from "./provider_shapes.ts";
import { providerFields, type ProviderSettings } from "./provider_settings.ts";
import { requestFields, type RequestSettings } from "./setting_groups.ts";

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
  /** How requests, responses and tokens differ from the standards; only on test hosts. Default: they do not. */
  readonly shapes?: ProviderShapes;
}

/** Describes {@link ProviderProfile} at a server with these paths of endpoints. */
export function providerProfileField(paths: Field<EndpointPaths>): ObjectField<ProviderProfile> {
  const members = {
    name: text(["my-provider"], { pattern: /^[\w.@-]{1,60}$/, expected: "1 to 60 letters, digits and -._@" }),
    issuerPath: text(["/oauth2/default"], {
      pattern: /^(?:\/[\w~-][\w.~-]*)*\/?$/,
      expected: "a path such as /oauth2/default, or /",
    }),
    scopes: texts(["openid", "profile", "email"]),
    shapes: providerShapesField,
    ...providerFields,
    ...requestFields,
    paths,
  };
  const example: ProviderProfile = { name: "my-provider", issuerPath: "/oauth2/default" };
  return object<ProviderProfile>("ProviderProfile", members, example, { required: ["name"] });
}
