/**
 * Shared signals: a client receives security events of its users, such as the end of a session, without a browser
 * (OpenID Shared Signals Framework, CAEP, RISC).
 *
 * 1. A client creates a stream (`handlers.ts`), with an access token (`receiver.ts`).
 * 2. `transmit` (`transmit.ts`) puts an event into the streams that deliver it; `watcher` calls it when a session ends.
 * 3. The client polls (`poll.ts`), or the server posts the event (`push.ts`), again after a failure.
 */

import type { Extension } from "../../config/extension.ts";
import type { Endpoint } from "../../endpoint.ts";
import { parameters } from "../../../core/http/params.ts";
import type { Method } from "../../../core/http/router.ts";
import { isOn, type SharedSignalPolicy, sharedSignalSettings, sharedSignalsOf } from "./settings.ts";
import type { HostedServer } from "../../hosted_server.ts";
import type { SessionTracker } from "../../token/session_tracker.ts";

const load = () => import("./handlers.ts");

const watcher: SessionTracker<HostedServer> = {
  findSessions: () => [],
  async sessionsEnded(server, sub, sids) {
    if (isOn(sharedSignalsOf(server))) await (await load()).sendSessionsRevoked(server, sub, sids);
    return undefined;
  },
  async accessEnded(server, user, cause) {
    if (isOn(sharedSignalsOf(server))) await (await load()).sendAccessEnded(server, user, cause);
  },
};

async function repeatPushes(server: HostedServer): Promise<void> {
  if (isOn(sharedSignalsOf(server))) await (await load()).repeatPushes(server);
}

/** Sends security events to clients. */
export const sharedSignals: Extension<SharedSignalPolicy> = {
  name: "shared_signals",
  settings: sharedSignalSettings,
  endpoints: (policy, { base }) => isOn(policy) ? signalEndpoints(base) : [],
  jwtTypes: { security_event: "secevent+jwt" },
  extend: (server) => ({ ...server, sessionWatchers: [...server.sessionWatchers, watcher] }),
  everyMinute: repeatPushes,
};

function signalEndpoints(base: string): Endpoint[] {
  const forClients = (
    name: string,
    path: string,
    title: string,
    methods: readonly Method[],
    handlers: "configuration" | "streamStatus" | "addSubject" | "removeSubject" | "verification" | "poll",
  ): Endpoint => ({
    ...{ name: `ssf_${name}`, path: `${base}/ssf/${path}`, title, methods },
    load: async () => (await load())[handlers],
    ...{ caller: "resource client", errors: "resource", role: "document" },
    parameters: parameters("stream_id", { name: "authorization_header", secret: "credentials" }),
  });
  return [
    {
      name: "ssf_metadata",
      path: `/.well-known/ssf-configuration${base}`,
      methods: ["GET"],
      caller: "any",
      cors: true,
      title: "Shared signals metadata",
      errors: "json",
      role: "document",
      load: async () => (await load()).metadata,
    },
    forClients("stream", "stream", "Event stream", ["GET", "POST", "PATCH", "PUT", "DELETE"], "configuration"),
    forClients("status", "status", "Event stream status", ["GET", "POST"], "streamStatus"),
    forClients("add_subject", "subjects/add", "Event stream subject", ["POST"], "addSubject"),
    forClients("remove_subject", "subjects/remove", "Event stream subject removal", ["POST"], "removeSubject"),
    forClients("verification", "verification", "Event stream verification", ["POST"], "verification"),
    forClients("poll", "poll/*", "Event poll", ["POST"], "poll"),
  ];
}
