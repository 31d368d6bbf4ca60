/** Settings that a test changes while the server runs. */

import { object } from "../core/policy/field.ts";
import {
  type Lifetimes,
  lifetimesField,
  refreshField,
  type RefreshSettings,
} from "../server/config/server_settings.ts";
import type { HostedServer } from "../server/hosted_server.ts";
import { assertOptions } from "./options.ts";

/** @internal The settings that can change while the server runs. */
export interface ChangeableSettings {
  /** How refresh tokens behave. Default: unchanged. */
  readonly refresh?: RefreshSettings;
  /** Lifetimes in seconds. Default: unchanged. */
  readonly lifetimes?: Lifetimes;
}

/** The description of {@link ChangeableSettings}. */
export const changeableField = object<ChangeableSettings>("ChangeableSettings", {
  refresh: refreshField,
  lifetimes: lifetimesField,
}, {
  refresh: { rotateConfidential: true },
});

/** Creates the changes of one server. */
export function changedSettings() {
  let changes: ChangeableSettings = {};
  let changed: { readonly from: HostedServer["policy"]; readonly to: HostedServer["policy"] } | undefined;
  return {
    /** @throws {TypeError} If a setting is unknown or has another type. */
    change(settings: ChangeableSettings): void {
      assertOptions("changeSettings", changeableField, settings);
      changes = {
        refresh: { ...changes.refresh, ...settings.refresh },
        lifetimes: { ...changes.lifetimes, ...settings.lifetimes },
      };
      changed = undefined;
    },
    /** The members to replace in the server. */
    current(
      { policy, keyRotation }: Pick<HostedServer, "policy" | "keyRotation">,
    ): Partial<Pick<HostedServer, "policy">> {
      if (Object.keys(changes).length === 0) return {};
      if (changed?.from !== policy) {
        const to = {
          ...policy,
          refresh: { ...policy.refresh, ...changes.refresh },
          lifetimes: { ...policy.lifetimes, ...changes.lifetimes },
        };
        changed = { from: policy, to };
        keyRotation.keepFor(to.lifetimes);
      }
      return { policy: changed!.to };
    },
    reset(): void {
      changes = {};
      changed = undefined;
    },
  };
}
