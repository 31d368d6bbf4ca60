/** The setting `profile`: its type and its description. */

import { providers } from "./provider_settings/providers.ts";
import type { ProviderName, ProviderProfile } from "./provider_profile.ts";
import { quoteValue } from "../../core/http/quote_value.ts";
import { choice, type Field, list, union } from "../../core/policy/field.ts";
import type { EndpointPaths } from "./endpoint_paths.ts";
import { type ProfileName, profileNames } from "./strictness.ts";
import { providerProfileField } from "./provider_profile_field.ts";

/** A profile: of a standard, a provider or a plugin by its name, or of another provider by its value. */
export type Profile = ProfileName | ProviderName | ProviderProfile;

export const providerNames = Object.keys(providers) as readonly ProviderName[];

const names: readonly (ProfileName | ProviderName)[] = [...profileNames, ...providerNames];

/**
 * Describes the setting `profile`.
 *
 * @param paths The description of the setting `paths`.
 * @param others Further values: a configuration file accepts the path of a file.
 */
export function profileField(
  paths: Field<EndpointPaths>,
  ...others: readonly Field<string>[]
): Field<Profile | readonly Profile[]> {
  const one = [
    choice(names, { expected: [...names.map(quoteValue), ...others.map(({ expected }) => expected)].join(", ") }),
    ...others,
    providerProfileField(paths),
  ] as readonly Field<Profile>[];
  const items = union(one, names, `${one[0]!.expected} or the profile of a provider`);
  const many = list(items, [["oidc", "okta"]], { expected: "an array of at least one profile", min: 1 });
  return union<Profile | readonly Profile[]>([...one, many], names, `${one[0]!.expected}, or a list of profiles`);
}
