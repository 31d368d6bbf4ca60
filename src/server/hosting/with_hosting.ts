/** What a process gives to a server: fetches, work in the background, limits, and the end of sessions. */

import type { Server } from "../../core/server.ts";
import type { ServerPolicy } from "../config/server_policy.ts";
import { createFetching } from "../fetching/fetching.ts";
import { defaultOutbound, type Outbound } from "../fetching/outbound.ts";
import type { HostedServer } from "../hosted_server.ts";
import { background } from "./background.ts";
import { endWatchedSession } from "./end_user_sessions.ts";
import { rateLimiter } from "./rate_limiter.ts";
import type { KeyRotation } from "./rotating_keys.ts";
import type { IssuerInEffect } from "./with_issuer.ts";
import { beforeIssue } from "../token/before_issue.ts";

interface HostingOptions {
  readonly keyRotation: KeyRotation;
  /** Default: a fetch that connects only to where the policy allows it. */
  readonly outbound?: Outbound;
  readonly issuerInEffect: IssuerInEffect;
}

/** The members that hosting adds, or replaces in the core. */
type HostingMember =
  | "assertionAudiences"
  | "background"
  | "certificateListener"
  | "deliveries"
  | "endSession"
  | "fetching"
  | "grants"
  | "keyRotation"
  | "rateLimiter"
  | "sender"
  | "sessionWatchers"
  | "tokenIssuers";

/** Adds what a process gives to a server. Extensions add to its empty lists. */
export function withHosting<S extends Server & Pick<HostedServer, "policy" | "trace">>(
  server: S,
  { keyRotation, outbound, issuerInEffect }: HostingOptions,
): S & Pick<HostedServer, HostingMember> {
  const { policy, now }: { readonly policy: ServerPolicy; readonly now: Server["now"] } = server;
  const { privateHosts, allows } = policy;
  const send = outbound ?? defaultOutbound(() => ({ issuer: issuerInEffect.current, privateHosts, allows }));
  return {
    ...server,
    keyRotation,
    fetching: createFetching(send, now),
    sender: undefined,
    ...beforeIssue(server, (current, client) => {
      if (client.standing === "unknown") current.fetching.recordUse(client.id);
    }),
    background: background(server),
    rateLimiter: policy.throttle ? rateLimiter(now) : undefined,
    sessionWatchers: [],
    endSession: async (current: HostedServer, session) => await endWatchedSession(current, session),
    deliveries: [],
    certificateListener: undefined,
    assertionAudiences: [],
  };
}
