/** The settings of shared signals. */

import { describeSettings } from "../../config/extension_settings.ts";
import { choice, type FieldsOf, flag } from "../../../core/policy/field.ts";
import type { Server } from "../../../core/server.ts";

/** @internal */
export interface SharedSignalSettings {
  /**
   * Whether clients with the scope value `ssf.manage` may create streams of security events, such as `session-revoked`
   * (OpenID Shared Signals Framework). It adds `ssf.manage` and `ssf.read` to the scope values: a client has them only
   * if its `scope` names them, and only with `client_credentials`. Clients that the operator does not know have no
   * streams. Default: false.
   */
  readonly sharedSignals?: boolean;
  /** Whether a new stream has the events of every user, or only those of users that its client adds. Default: `ALL`. */
  readonly sharedSignalsSubjects?: "ALL" | "NONE";
}

export const sharedSignalFields: FieldsOf<SharedSignalSettings> = {
  sharedSignals: flag(false),
  sharedSignalsSubjects: choice(["ALL", "NONE"], { default: "ALL" }),
};

/** The scope value for every request, and the one for requests that read (CAEP Interoperability Profile §2.7.2). */
export const manageScope = "ssf.manage";
export const readScope = "ssf.read";

/** Whether the settings switch it on. */
export function isOn({ sharedSignals }: SharedSignalSettings): boolean {
  return sharedSignals === true;
}

export type SharedSignalPolicy = Required<SharedSignalSettings>;

export const sharedSignalSettings = describeSettings<SharedSignalPolicy>({
  fields: sharedSignalFields,
  resolve: (given) => isOn(given) ? { clientScopes: [...given.clientScopes, manageScope, readScope] } : {},
});

/** The settings of a server, with defaults. */
export function sharedSignalsOf({ policy }: Pick<Server, "policy">): SharedSignalPolicy {
  return sharedSignalSettings.of(policy);
}
