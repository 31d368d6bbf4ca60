/** Resolves options: the only way from settings to the policy of a server. */

import { type ResolvedSettings, resolveSettings } from "../config/resolve_settings.ts";
import { extensions as allExtensions, knownExtensions } from "./extensions.ts";
import type { LatchkeyOptions } from "./options.ts";

/**
 * Resolves options that match their description.
 *
 * @param origin The issuer without the path of a provider; used if the options name no issuer.
 */
export async function resolveOptions(options: LatchkeyOptions, origin: string): Promise<ResolvedSettings> {
  const { extensions = allExtensions, grantTypes, approver } = options;
  return await resolveSettings(options, origin, { extensions: knownExtensions(extensions), grantTypes, approver });
}
