/** Resolves settings: their issues and warnings, and the policy that they result in. */

import type { User } from "../../core/clients/client.ts";
import type { ClientMetadata } from "./client_metadata.ts";
import type { ConfigIssue, ConfigurationWarning } from "../../core/rules/configuration_error.ts";
import { fromHost } from "./server_names.ts";
import type { ServerPolicy } from "./server_policy.ts";
import type { Deviation } from "../profiles/provider_profile.ts";
import { fillSettings, type ResolvingServer } from "./fill_settings.ts";
import type { Settings } from "./settings.ts";
import { settingsWarnings } from "./settings_warnings.ts";
import { validateSettings } from "./validate_settings.ts";
import { withProfiles } from "./with_profiles.ts";

/** The result of {@link resolveSettings}. */
export interface ResolvedSettings {
  /** The issues of the settings; empty if they are valid. */
  readonly issues: readonly ConfigIssue[];
  /** Computes the warnings about valid settings. */
  warnings(): readonly ConfigurationWarning[];
  /** The policy. */
  readonly policy: ServerPolicy;
  /** The issuer in effect. */
  readonly issuer: string;
  /** The path of the issuer below the origin; empty if the settings name an issuer. */
  readonly issuerPath: string;
  /** The `aud` of access tokens; absent: the issuer. */
  readonly audience?: string;
  /** The clients at an issuer: demo clients follow it. */
  clientsAt(issuer: string): readonly ClientMetadata[];
  /** Whether the clients are the demo clients. */
  readonly hasDemoClients: boolean;
  /** The users. */
  readonly users: readonly User[];
  /** What the profiles of providers change besides settings; absent without such a profile. */
  readonly deviation?: Deviation;
}

/**
 * Resolves settings that match their description. The validators of extensions are loaded only for a server that has
 * their settings.
 *
 * @param origin The issuer without the path of a provider; used if the settings name no issuer.
 */
export async function resolveSettings(
  settings: Settings,
  origin: string,
  server: ResolvingServer,
): Promise<ResolvedSettings> {
  const provided = await withProfiles(settings);
  const { issuerPath, beforeStandards } = provided;
  const issuer = configuredIssuer(settings) ?? origin + issuerPath;
  const filled = fillSettings(provided, issuer, server);
  const { clientsAt, users } = filled;
  return {
    issues: await validateSettings(provided, filled, server),
    warnings: () => settingsWarnings(beforeStandards, filled, settings),
    policy: filled,
    ...{ issuer, issuerPath, clientsAt, users },
    audience: beforeStandards.audience,
    hasDemoClients: settings.clients === undefined,
    deviation: provided.isDeviating ? provided : undefined,
  };
}

/** The issuer that settings name; `undefined` if it follows the port or the request. */
export function configuredIssuer({ issuer }: { readonly issuer?: string }): string | undefined {
  return issuer === fromHost ? undefined : issuer;
}
