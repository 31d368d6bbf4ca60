/** Decides a polled request without a page, if an approver decides. The session of such a decision is in no browser. */

import type { Approver } from "../../../core/authorize/approver.ts";
import type { Context } from "../../../core/http/context.ts";
import { rejectOldLogin } from "../../../core/authorize/login.ts";
import { acceptApproval } from "../../../core/authorize/code.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { denyPolled } from "../../stored/delivery.ts";
import type { PendingRequest } from "./polled_request.ts";

/** Asks the approver. If it returns a response, the request waits for a decision on a page. */
export async function decideImmediately(
  context: Context,
  { pending }: PendingRequest,
  approve: Approver,
): Promise<void> {
  const { server, request: httpRequest } = context;
  const { users, now, trace } = server;
  const startedAt = now();
  try {
    const decision = await approve(pending.request, { pending, users, now, trace, httpRequest, context });
    if (!("user" in decision)) return;
    rejectOldLogin(pending.request.loginRequirements, startedAt, decision.authTime, undefined);
    const session = await server.sessionFor(server, decision, undefined, undefined);
    await server.grants.issueResponse(server, pending, await acceptApproval(server, pending, decision, session));
  } catch (error) {
    await denyPolled(server as HostedServer, pending.destination, error);
  }
}
