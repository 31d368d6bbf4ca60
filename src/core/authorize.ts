/**
 * GET and POST /oauth2/authorize (OAuth 2.1 §4.1.1).
 *
 * This file reads the HTTP requests, `authorization.ts` decides them and sends the responses, and `authorized.ts` is
 * the page that receives the responses of demo clients.
 *
 * If the request refers to another source of its parameters (OpenID Connect Core §6), that source reads them first.
 *
 * 1. `findDestination` verifies client and redirect URI; later errors are sent by redirect.
 * 2. `readRequest` reads the parts of the request.
 * 3. `decideRequest` reads the session and calls the approver.
 * 4. An approval becomes a response with a code, sent to the destination.
 */

import { emptyHeadResponse, type ResponseLike } from "./http/message.ts";
import { findDestination } from "./request/destination.ts";
import type { PendingAuthorization, RedirectDestination } from "./request/destination.ts";
import type { RequestOrigin } from "./request/request_source.ts";
import { readRequest, warnAcceptedRequest } from "./request.ts";
import { resolveRequest } from "./request/resolve_request.ts";
import type { Client } from "./clients/repository.ts";
import type { Approver } from "./approver.ts";
import { decideRequest } from "./authorization.ts";
import type { Context } from "./context.ts";
import { rejectUntrustedHost } from "./cross_site.ts";
import { readParams } from "./client_endpoint.ts";
import type { Handlers } from "./route.ts";

/**
 * The handlers of the authorization endpoint.
 *
 * @param repeatWithCookies Redirects a request that another site posted, because the browser may have omitted its
 *   cookies. Returns `undefined` for other requests. Default: no request is redirected.
 */
export function authorizeHandlers(
  approver: Approver,
  repeatWithCookies?: (context: Context, pending: PendingAuthorization) => Promise<ResponseLike | undefined>,
): Handlers {
  async function handle(context: Context): Promise<ResponseLike> {
    const { server, request: httpRequest } = context;
    const received = await readParams(context);
    const clientId = received.get("client_id");
    let params = received;
    let destination: RedirectDestination;
    let client: Client;
    let origin: RequestOrigin | undefined;
    try {
      if (received.get("request_uri") !== undefined || received.get("request") !== undefined) {
        ({ params, origin } = await resolveRequest(server, received, context.unrepeatable));
      }
      ({ destination, client } = await findDestination(server, params, origin));
    } finally {
      if (clientId !== undefined && !received.isRepeated("client_id")) {
        context.clientId = server.clients.known().get(clientId)?.id;
      }
    }
    // DNS rebinding: with auto-login an attacker's page could read the code in the form_post page.
    const isReadableByPage = server.responseModes.get(destination.mode)?.carrier === "form" &&
      server.settings.allows.openLogin;
    if (isReadableByPage) {
      rejectUntrustedHost(server, httpRequest, "FP-04");
    }
    context.destination = destination;
    if (origin?.rejection !== undefined) throw origin.rejection;
    const { mode, storedRequest, isSigned } = destination;
    const from = {
      server,
      client,
      params,
      at: "authorize",
      mode,
      isPushed: storedRequest !== undefined,
      isSigned,
    } as const;
    const request = await readRequest(from);
    const pending = { request, destination, client };
    warnAcceptedRequest(from, request);
    const redirected = repeatWithCookies && await repeatWithCookies(context, pending);
    return redirected ?? await decideRequest(context, pending, approver);
  }

  return {
    GET: handle,
    // A HEAD request must not issue a code.
    HEAD: () => emptyHeadResponse,
    POST: handle,
  };
}
