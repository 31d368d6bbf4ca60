/**
 * The settings that apply to one client. For a client with a profile of its own, they are at least as strict as the
 * settings of the server and the profile. A check that knows the client reads its settings by {@link policyOf}.
 */

import type { MaybePromise } from "../../../platform/maybe_promise.ts";
import type { ActiveProfile } from "../../config/profile.ts";
import type { ProfileName } from "../../config/profile.ts";
import { withClientProfile } from "../../config/profiles.ts";
import type { AnyName } from "../../config/settings.ts";
import type { Server } from "../server.ts";
import type { Client } from "./repository.ts";

/** The settings for the requests of a client: those of the server, or stricter ones by the client's own profile. */
export function policyOf(server: Pick<Server, "settings">, client: Client): Server["settings"] {
  return client.policy ?? server.settings;
}

/** The settings for a client with a profile of its own; for any other client, the unchanged settings. */
export function tightenSettings<
  T extends { readonly profile?: ActiveProfile; readonly acceptsAny: readonly AnyName[] },
>(
  settings: T,
  { profile }: { readonly profile?: ProfileName },
): T {
  if (profile === undefined) return settings;
  return { ...withClientProfile(settings, profile), acceptsAny: [] };
}

/**
 * Records that something is about to be issued to a client.
 *
 * @throws {OAuthError} If an extension prevents it.
 */
export function recordUse(server: Server, client: Client): MaybePromise<unknown> {
  if (client.standing === "unknown") server.clients.recordUse(client.id);
  const recordings = server.useRecorders.flatMap((record) => record(server, client) ?? []);
  return recordings.length === 0 ? undefined : Promise.all(recordings);
}
