/** What the whole server observes in accepted requests, besides the core. Types only. */

import type { Observations } from "../../core/observations.ts";
import type { ScopeValues, UnregisteredUri } from "../../core/rules/authorize.ts";
import type { UnknownUser } from "../rules/login.ts";
import type { ByProfile } from "./server_policy.ts";

/** @internal The facts of each observation, also of what only the whole server has. */
export interface HostedObservations extends Observations {
  /** A request was accepted although its client is not registered. */
  readonly "unregistered client": { readonly rule: "AZ-02" | "CA-07"; readonly id: string };
  /** A redirect URI was accepted although the client has not registered it. */
  readonly "RU-01": Omit<UnregisteredUri, "clientId">;
  /** Unknown scope values were accepted. */
  readonly "AZ-17": ScopeValues;
  readonly resource: { readonly requested: readonly string[]; readonly hasAudience: boolean };
  /** A request without `resource` was accepted by a server that expects one. */
  readonly "MC-02": ByProfile;
  /** A `login_hint` that names no user was accepted: a user was created, or another user logged in. */
  readonly "OI-06": UnknownUser & { readonly effect: "created" | "created by the setting users" | "another user" };
  /** A refresh token that the client must replace stays valid. */
  readonly "RT-04": undefined;
  /** The redirect URI of a logout was accepted although the client has not registered it. */
  readonly "LO-03": UnregisteredUri & { readonly setting: "clients" | "redirectUris" };
  /** A token is too long for cookies, or lacks claims that made it too long. Lengths are in characters. */
  readonly "CL-17": {
    readonly kind: string;
    readonly length: number;
    readonly maxLength: number;
    readonly largest?: { readonly name: string; readonly bytes: number };
    /** The claims that were left out, the largest first. */
    readonly leftOut: readonly string[];
  };
}
