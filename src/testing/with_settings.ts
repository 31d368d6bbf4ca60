/** Changes settings of a server for one call. */

import type { Server } from "../core/server.ts";

/** The same server with other settings. */
export function withSettings(server: Server, settings: Partial<Server["settings"]>): Server {
  return { ...server, settings: { ...server.settings, ...settings } };
}
