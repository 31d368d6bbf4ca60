/**
 * GET and POST /oauth2/authorize (OAuth 2.1 §4.1.1): from an authorization request to the response to its client.
 *
 * 1. `findDestination` verifies the client and the redirect URI. Until here an error is a page; after it, errors are
 *    sent to the redirect URI.
 * 2. `readRequest` reads the parts of the request.
 * 3. `decideRequest` reads the session and asks the approver: automatic login, the login pages, or the embedding
 *    program. Pages call it again when the user has acted.
 * 4. `completeAuthorization` issues the response to an approved request, and `authorizationResponse` sends it.
 */

import type { Approver } from "./approver.ts";
import { readParams } from "./client_endpoint.ts";
import { type Approval, issueResponse } from "./code.ts";
import type { Context, ResponseContext } from "./context.ts";
import { rejectUntrustedHost } from "./cross_site.ts";
import { formPostResponse } from "./form_post.ts";
import {
  emptyHeadResponse,
  type HttpResponse,
  isResponse,
  redirect,
  type ResponseLike,
  withHeaders,
} from "./http/message.ts";
import { chain, isPromise, type MaybePromise } from "./maybe_promise.ts";
import type { ResponseFields } from "./params.ts";
import { appendToRedirectUri, encodeFields } from "./redirect_uri.ts";
import { reject } from "./reject.ts";
import { readRequest, warnAcceptedRequest } from "./request.ts";
import { rejectOldLogin, statedLevel, usableSession } from "./request/login.ts";
import type { Destination, PendingAuthorization } from "./request/authorization_request.ts";
import { findDestination } from "./request/destination.ts";
import type { Handlers } from "./route.ts";
import type { Server } from "./server.ts";
import { createSession, endForgottenSessions, type Session } from "./session/session.ts";
import { readSession, setSessionCookie } from "./session/cookies.ts";

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
    const { server } = context;
    const { client, destination, params, origin } = await readDestination(context);
    const { mode, storedRequest, isSigned } = destination;
    // DNS rebinding: with automatic login, a page under an attacker's host name could read the code in the form.
    const isForm = server.responseModes.get(mode)?.carrier === "form";
    if (isForm && server.settings.allows.openLogin) rejectUntrustedHost(server, context.request, "FP-04");
    context.destination = destination;
    if (origin.rejection !== undefined) throw origin.rejection;
    const isPushed = storedRequest !== undefined;
    const from = { server, client, params, at: "authorize", mode, isPushed, isSigned } as const;
    const request = await readRequest(from);
    warnAcceptedRequest(from, request);
    const pending = { request, destination, client };
    const repetition = repeatWithCookies && await repeatWithCookies(context, pending);
    return repetition ?? await decideRequest(context, pending, approver);
  }
  // A HEAD request must not issue a code.
  return { GET: handle, POST: handle, HEAD: () => emptyHeadResponse };
}

/** Finds the parameters of a request, its client and the destination of its response. */
async function readDestination(context: Context) {
  const { server, unrepeatable } = context;
  const reading = readParams(context);
  const received = isPromise(reading) ? await reading : reading;
  try {
    const resolving = server.requestParts.resolve(server, received, unrepeatable);
    const { params, origin } = isPromise(resolving) ? await resolving : resolving;
    const { client, destination } = await findDestination(server, params, origin);
    return { client, destination, params, origin };
  } finally {
    // The trace of a rejection names the client.
    if (!received.isRepeated("client_id")) {
      context.clientId = server.clients.known().get(received.get("client_id") ?? "")?.id;
    }
  }
}

export async function decideRequest(
  context: Context,
  pending: PendingAuthorization,
  approve: Approver,
): Promise<ResponseLike> {
  const { server, request: httpRequest } = context;
  const { users, now, trace } = server;
  const { loginRequirements } = pending.request;
  const isPromptNone = loginRequirements.prompt.includes("none");
  const startedAt = now();
  const reading = readSession(context);
  const previousSession = isPromise(reading) ? await reading : reading;
  const checking = usableSession(server, pending, previousSession);
  const session = isPromise(checking) ? await checking : checking;
  const situation = { pending, session, previousSession, users, now, trace, httpRequest, context };
  const decision = await approve(pending.request, situation);
  if (!("user" in decision)) {
    if (isPromptNone) throw reject("OI-03", { needs: "user interaction" });
    return isResponse(decision) ? withHeaders(decision, approverPageHeaders) : decision;
  }
  const { user, authTime, acr, amr } = decision;
  if (session?.sub === user.sub && session.authTime === authTime && (acr ?? session.acr) === session.acr) {
    return await completeAuthorization(context, pending, decision, session, false);
  }
  if (isPromptNone) throw reject("OI-03", { problem: "other user approved" });
  rejectOldLogin(loginRequirements, startedAt, authTime, previousSession);
  const level = acr === undefined && amr === undefined ? undefined : statedLevel(server, decision);
  const newSession = createSession(server, user, authTime, previousSession, level);
  const response = await completeAuthorization(context, pending, decision, newSession, true);
  if (previousSession !== undefined) await endForgottenSessions(server, previousSession, newSession);
  return response;
}

/** Keeps the page of an embedding program's approver out of caches and referrers. */
const approverPageHeaders = { "cache-control": "no-store", "referrer-policy": "no-referrer" };

/**
 * Issues the response to an approved request and sends it to the destination.
 *
 * @param isNew Whether the session is new and its cookie must be set.
 */
export async function completeAuthorization(
  context: Context,
  pending: PendingAuthorization,
  approval: Approval,
  session: Session,
  isNew: boolean,
): Promise<ResponseLike> {
  const response = await issueResponse(context.server, pending, approval, session);
  const setting = isNew ? setSessionCookie(context, session) : {};
  const headers = isPromise(setting) ? await setting : setting;
  const responding = authorizationResponse(context, pending.destination, response, headers);
  return isPromise(responding) ? await responding : responding;
}

/** Sends a response to the destination, in its mode. Errors are sent by this function too. */
export function authorizationResponse(
  context: ResponseContext,
  destination: Destination,
  response: ResponseFields,
  headers?: Readonly<Record<string, string>>,
): MaybePromise<HttpResponse> {
  const { server, request, clientId = "" } = context;
  const { uri } = destination;
  const mode = server.responseModes.get(destination.mode);
  const fields = responseFields(server, destination, response);
  return chain(mode?.replace?.(server, clientId, fields) ?? fields, (sent) => {
    if (mode?.carrier === "form") {
      const name = server.clients.known().get(clientId)?.name ?? clientId;
      return formPostResponse(context, name, { action: uri, fields: sent }, headers);
    }
    const url = mode?.carrier === "fragment" ? `${uri}#${encodeFields(sent)}` : appendToRedirectUri(uri, sent);
    return redirect(request.method, url, headers);
  });
}

/** The parameters of a response, with `state` as received and `iss` (RFC 9207 §2). */
export function responseFields(server: Server, { state }: Destination, response: ResponseFields): ResponseFields {
  const fields = [...response];
  if (state !== undefined) fields.push(["state", state]);
  fields.push(["iss", server.issuer]);
  return fields;
}
