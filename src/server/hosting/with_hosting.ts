/** What a process gives to a server: fetches, work in the background, limits, and the end of sessions. */

import { createFetching } from "../fetching/fetching.ts";
import { defaultOutbound, type Outbound } from "../fetching/outbound.ts";
import type { HostedServer } from "../hosted_server.ts";
import { background } from "./background.ts";
import { endWatchedSession } from "./end_user_sessions.ts";
import { rateLimiter } from "../clients/rate_limiter.ts";
import { passwordVerifier } from "../login/password.ts";
import type { KeyRotation } from "./rotating_keys.ts";
import type { IssuerInEffect } from "./with_issuer.ts";
import type { Extension } from "../config/extension.ts";

export interface HostingOptions {
  readonly keyRotation: KeyRotation;
  /** Default: a fetch that connects only to where the policy allows it. */
  readonly outbound?: Outbound;
  readonly issuerInEffect: IssuerInEffect;
}

/** Adds what a process gives to a server. Extensions add to its empty lists. */
export function hosting({ keyRotation, outbound, issuerInEffect }: HostingOptions): Extension {
  return {
    name: "hosting",
    steps: {
      beforeIssue: [{
        name: "client in use",
        run(server: HostedServer, client) {
          if (client.standing === "unknown") server.fetching.recordUse(client.id);
        },
      }],
    },
    extend(server) {
      const { policy, now }: HostedServer = server;
      const { privateHosts, allows } = policy;
      const send = outbound ?? defaultOutbound(() => ({ issuer: issuerInEffect.current, privateHosts, allows }));
      return {
        ...server,
        keyRotation,
        fetching: createFetching(send, now),
        sender: undefined,
        background: background(server),
        verifyPassword: passwordVerifier(),
        rateLimiter: policy.throttle ? rateLimiter(now) : undefined,
        sessionWatchers: [],
        endSession: async (current: HostedServer, session) => await endWatchedSession(current, session),
        deliveries: [],
        certificateListener: undefined,
        assertionAudiences: [],
      };
    },
  };
}
