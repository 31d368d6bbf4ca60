/** Stored requests, from the first page until the response. */

import type { Approver } from "../../core/authorize/approver.ts";
import { reject } from "../../core/rules/reject.ts";
import { type Slot, slot } from "../../core/slot.ts";
import type { Extension } from "../config/extension.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { StoredRequests } from "./request_store.ts";

/** The id of the stored request that a response completes, in the origin of the request and its destination. */
export const storedRequest: Slot<string> = slot("par");

/**
 * The stored requests of a server, for a destination that names one.
 *
 * @throws {OAuthError} If the server no longer stores requests.
 */
export function storedRequests({ storedRequests }: Pick<HostedServer, "storedRequests">): StoredRequests<HostedServer> {
  if (storedRequests !== undefined) return storedRequests;
  throw reject("JR-01", { parameter: "request_uri", problem: "gone" }, { forUser: true });
}

/** The approver. If it returns a page, a stored request is kept until the user has decided. */
export function keepsRequests(approve: Approver): Approver {
  return (request, at) =>
    storedRequest.of(at.pending.destination) === undefined ? approve(request, at) : approveStored(approve, request, at);
}

async function approveStored(approve: Approver, ...[request, at]: Parameters<Approver>) {
  const decision = await approve(request, at);
  if ("user" in decision || request.loginRequirements.prompt.includes("none")) return decision;
  const { pending: { destination, client }, context } = at;
  const server = context.server as HostedServer;
  await storedRequests(server).keep(
    server,
    client,
    storedRequest.of(destination)!,
    context.target.clientAddress.address,
  );
  return decision;
}

/** Responses consume the requests that were stored. */
export const consumedRequests: Extension = { name: "consumed_requests", extend: withConsumedRequests };

function withConsumedRequests(server: HostedServer): HostedServer {
  const { issueResponse } = server.grants;
  return {
    ...server,
    grants: {
      ...server.grants,
      async issueResponse(current: HostedServer, pending, grant) {
        const id = storedRequest.of(pending.destination);
        if (id !== undefined) await storedRequests(current).consume(current, id);
        return await issueResponse(current, pending, grant);
      },
    },
  };
}
