/**
 * Client logout: when a session ends, the server informs the clients that got an ID token in it (OpenID Connect
 * Back-Channel Logout and Front-Channel Logout).
 *
 * 1. `recordSessionClient` (`session_clients.ts`) records a client when it gets an ID token.
 * 2. When the session has ended, `logOutClients` (`channels.ts`) calls its clients, each once, all at the same
 *    time.
 * 3. The logout page shows the frames of `logoutFrames`.
 * 4. `repeatLogoutCalls` repeats calls that failed temporarily, at intervals of the server's clock.
 */

import type { Extension } from "../../config/extension.ts";
import type { Server } from "../../../core/server.ts";
import type { TokenSteps } from "../../../core/token/steps.ts";
import {
  clientLogoutOf,
  type ClientLogoutPolicy,
  clientLogoutSettings,
  hasLogoutUri,
  logoutClientFields,
  validateLogoutUris,
} from "./settings.ts";
import type { HostedServer } from "../../hosted_server.ts";
import type { SessionTracker } from "../../token/session_tracker.ts";

const load = () => import("./channels.ts");

const recordClient: TokenSteps<Server>["afterIssue"][number] = {
  name: "clients of the session",
  async run(server, { id_token }, { client, subject }) {
    const { sub, sid } = subject ?? {};
    if (id_token === undefined || sid === undefined || !hasLogoutUri(client.metadata, clientLogoutOf(server))) return;
    await (await load()).recordSessionClient(server, client, sub!, sid);
  },
};

const watcher: SessionTracker<HostedServer> = {
  async findSessions(server, sub) {
    if (!clientLogoutOf(server).backChannel) return [];
    return await (await load()).findSessions(server, sub);
  },
  async sessionsEnded(server, sub, sids) {
    const { backChannel, frontChannel, timeout } = clientLogoutOf(server);
    if (!backChannel && !frontChannel) return undefined;
    const records = await (await load()).listSessionClients(server, sub, sids);
    if (records.length === 0) return undefined;
    const logins = await (await load()).logOutClients(server, records);
    if (!frontChannel || logins.length === 0) return undefined;
    return {
      frames: async () => await (await load()).logoutFrames(server, logins),
      timeoutSeconds: timeout,
    };
  },
};

async function repeatCalls(server: HostedServer): Promise<void> {
  if (!clientLogoutOf(server).backChannel) return;
  if (await server.store.count("logout_call", `${server.names.storage} `) === 0) return;
  await (await load()).repeatLogoutCalls(server);
}

/** Logs clients out when a session ends. */
export const clientLogout: Extension<ClientLogoutPolicy> = {
  name: "client_logout",
  settings: clientLogoutSettings,
  clientMetadata: { fields: logoutClientFields, validate: validateLogoutUris },
  metadata({ policy: { clientLogout: { backChannel, frontChannel } } }) {
    return {
      ...backChannel && { backchannel_logout_supported: true, backchannel_logout_session_supported: true },
      ...frontChannel && { frontchannel_logout_supported: true, frontchannel_logout_session_supported: true },
    };
  },
  jwtTypes: { logout_token: "logout+jwt" },
  steps: { afterIssue: [recordClient] },
  extend: (server) => ({ ...server, sessionWatchers: [...server.sessionWatchers, watcher] }),
  everyMinute: repeatCalls,
};
