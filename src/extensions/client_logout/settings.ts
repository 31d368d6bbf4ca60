/** The settings of client logout. */

import { type Fields, flag, object, seconds, withDefaults } from "../../oauth/config/field.ts";
import type { Server } from "../../oauth/server.ts";

/** How clients learn that a session in which they got an ID token has ended. */
export interface ClientLogoutOptions {
  /** Whether the server calls the `backchannel_logout_uri` of clients (OpenID Connect Back-Channel Logout). Default: true. */
  readonly backChannel?: boolean;
  /** Whether the logout page shows the `frontchannel_logout_uri` of clients (Front-Channel Logout). Default: true. */
  readonly frontChannel?: boolean;
  /** Seconds that a logout waits for all calls together, and then for all pages. Default: 5. Maximum: 30. */
  readonly timeout?: number;
}

/** The setting of client logout. */
export interface ClientLogoutSettings {
  /** How clients learn that a session has ended. */
  readonly clientLogout?: ClientLogoutOptions;
}

/** The setting that is in effect. */
export interface ClientLogoutPolicy {
  readonly clientLogout: Required<ClientLogoutOptions>;
}

const clientLogout = object<ClientLogoutOptions>("ClientLogoutOptions", {
  backChannel: flag(true),
  frontChannel: flag(true),
  timeout: seconds(5, 30),
}, { backChannel: true, timeout: 5 });

/** Describes {@link ClientLogoutSettings}. */
export const clientLogoutFields: Fields<ClientLogoutSettings> = { clientLogout };

/** Fills in the defaults. */
export function resolveClientLogout({ clientLogout: given }: ClientLogoutSettings): ClientLogoutPolicy {
  return { clientLogout: withDefaults(clientLogout.members, given) as Required<ClientLogoutOptions> };
}

/** The setting of a server. */
export function clientLogoutOf({ settings }: Pick<Server, "settings">): Required<ClientLogoutOptions> {
  return (settings as typeof settings & ClientLogoutPolicy).clientLogout;
}
