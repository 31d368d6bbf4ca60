/** The persona header for a server that is not a mock: the program on a test host. */

import type { ApproverContext } from "../core/authorize/approver.ts";
import { isTrustedHost } from "../core/http/cross_site.ts";
import type { Plugin } from "../server/hosting/options.ts";
import type { HttpRequest } from "../core/http/message.ts";
import { replaceParts } from "../platform/http/changed_request.ts";
import type { Server } from "../core/server.ts";
import type { HostedServer } from "../server/hosted_server.ts";
import { personaHeader } from "./persona.ts";

/**
 * Wraps an approver that reads {@link personaHeader}, so that it does not see a header that {@link personas} ignores.
 */
export function withTrustedPersonas(approve: NonNullable<Plugin["approve"]>): NonNullable<Plugin["approve"]> {
  return (next, showsPages) => {
    const approver = approve(next, showsPages);
    return (request, at) =>
      approver(request, isTrusted(at) ? at : { ...at, httpRequest: withoutPersona(at.httpRequest) });
  };
}

function withoutPersona(request: HttpRequest): HttpRequest {
  const { headers } = request;
  return replaceParts(request, { headers: { get: (name) => name === personaHeader ? null : headers.get(name) } });
}

/** Whether a request has no persona, or one that may decide. */
function isTrusted({ httpRequest, context: { server } }: ApproverContext): boolean {
  return httpRequest.headers.get(personaHeader) === null ||
    server.policy.allows.openLogin && !mayComeFromOtherSite(server, httpRequest);
}

/**
 * Creates a plugin that lets requests choose the user of an automatic login, and what the user grants, by
 * {@link personaHeader}. It ignores the header where the issuer is not on a test host, and in requests that a page of
 * another site may have sent.
 */
export function personas(): Plugin {
  return {
    approve: (next, showsPages) =>
      showsPages ? next : async (request, at) => {
        if (at.httpRequest.headers.get(personaHeader) === null || !isTrusted(at)) return await next(request, at);
        const { userDecisions } = await import("./user_decisions.ts");
        return await userDecisions(() => at.context.server as HostedServer).approve(next)(request, at);
      },
  };
}

/**
 * Whether a page of another site may have added headers to the request: by `fetch`, or after DNS rebinding. A page
 * cannot add headers to a navigation, so those come from a browser that a test controls.
 */
function mayComeFromOtherSite(server: Server, request: HttpRequest): boolean {
  if (!isTrustedHost(server, request)) return true;
  const site = request.headers.get("sec-fetch-site");
  // Node's fetch sends Sec-Fetch-Mode as well, but no site.
  if (site !== null) return request.headers.get("sec-fetch-mode") !== "navigate" && site !== "same-origin";
  // A browser without fetch metadata names the page in Origin.
  const origin = request.headers.get("origin");
  return origin !== null && origin !== server.names.frontChannel;
}
