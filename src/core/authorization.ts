/**
 * Decides and completes authorization requests. `authorize.ts`, which reads HTTP requests, and every page call it.
 *
 * 1. `decideRequest` reads the session and decides whether it may be used (`prompt`, `max_age`, expected users).
 * 2. It calls the approver: `autoApprover`, the login pages, or an approver of the embedding program.
 * 3. If the approver returns a response, such as a redirect to a page, the server sends it. The request stays pending.
 * 4. If it returns an approval, `completeAuthorization` issues the response and sends it to the destination.
 */

import { type HttpResponse, isResponse, redirect, type ResponseLike, withHeaders } from "./http/message.ts";
import { statedLevel } from "./request/authentication_level.ts";
import { type Approval, issueResponse } from "./code.ts";
import type { Destination, PendingAuthorization, RedirectDestination } from "./request/destination.ts";
import { rejectOldLogin, usableSession } from "./request/login.ts";
import { storedRequests } from "./request/request_source.ts";
import { formPostResponse } from "./form_post.ts";
import { appendToRedirectUri, encodeFields } from "./redirect_uri.ts";
import type { ResponseFields } from "./params.ts";
import { reject } from "./reject.ts";
import type { Server } from "./server.ts";
import { createSession, endForgottenSessions, type Session } from "./session/session.ts";
import type { Approver } from "./approver.ts";
import type { Context, ResponseContext } from "./context.ts";
import { readSession, setSessionCookie } from "./session/session_cookie.ts";

/** Decides a request with the session and an approver. */
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
  const previousSession = await readSession(context);
  const session = await usableSession(server, pending, previousSession);
  const situation = { pending, session, previousSession, users, now, trace, httpRequest, context };
  const decision = await approve(pending.request, situation);
  if (!("user" in decision)) {
    if (isPromptNone) throw reject("OI-03", { needs: "user interaction" });
    const { storedRequest } = pending.destination;
    if (storedRequest !== undefined) {
      const { address } = context.target.clientAddress;
      await storedRequests(server).keep(server, pending.client, storedRequest, address);
    }
    return isResponse(decision) ? withHeaders(decision, approverPageHeaders) : decision;
  }
  const { user, authTime, acr, amr } = decision;
  if (session?.sub === user.sub && session.authTime === authTime && (acr ?? session.acr) === session.acr) {
    return await completeAuthorization(context, pending, decision, session, false);
  }
  if (isPromptNone) throw reject("OI-03", { problem: "other user approved" });
  rejectOldLogin(loginRequirements, startedAt, authTime, previousSession);
  const level = acr === undefined && amr === undefined ? undefined : statedLevel(server, decision);
  const newSession = createSession(server, user.sub, authTime, previousSession, level);
  const response = await completeAuthorization(context, pending, decision, newSession, true);
  if (previousSession !== undefined) {
    await endForgottenSessions(server, previousSession, newSession);
  }
  return response;
}

/**
 * Completes an approved request: issues the response and sends it to the destination, or stores the approval for a
 * device.
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
  const headers = isNew ? await setSessionCookie(context, session) : {};
  return await authorizationResponse(context, pending.destination, response, headers);
}

/** Keeps the page of an embedding program's approver out of caches and referrers. */
const approverPageHeaders = { "cache-control": "no-store", "referrer-policy": "no-referrer" };

/** Sends an authorization response to the client, with `state` as received and `iss` (RFC 9207 §2). */
export async function authorizationResponse(
  context: ResponseContext,
  destination: Destination,
  response: readonly (readonly [string, string])[],
  headers?: Readonly<Record<string, string>>,
): Promise<HttpResponse> {
  const fields = responseFields(context.server, destination, response);
  if (destination.mode === "query" || destination.mode === "poll") {
    return redirect(context.request.method, appendToRedirectUri(destination.uri, fields), headers);
  }
  return await sendResponse(context, destination, fields, headers);
}

/** The parameters of an authorization response. */
export function responseFields(
  server: Server,
  { mode, state }: Destination,
  response: readonly (readonly [string, string])[],
): readonly (readonly [string, string])[] {
  const hasIss = sendsIss(server) || mode !== "poll" && server.responseModes.get(mode)?.replace !== undefined;
  const fields = [...response];
  if (state !== undefined) fields.push(["state", state]);
  if (hasIss) fields.push(["iss", server.issuer]);
  return fields;
}

/** Whether authorization responses have `iss` (RFC 9207), the default, which the setting `metadata` can change. */
export function sendsIss({ settings: { metadata } }: Server): boolean {
  const { authorization_response_iss_parameter_supported: isSupported = true } = metadata;
  return isSupported === true;
}

/** Sends the fields of a response in the mode of its destination. */
async function sendResponse(
  context: ResponseContext,
  destination: RedirectDestination,
  fields: ResponseFields,
  headers?: Readonly<Record<string, string>>,
): Promise<HttpResponse> {
  const sent = await sentFields(context, destination, fields);
  const location = toLocation(context, destination, sent);
  if (location !== undefined) return redirect(context.request.method, location, headers);
  const { clientId = "" } = context;
  const client = context.server.clients.known().get(clientId)?.name ?? clientId;
  const { uri } = destination;
  const page = await formPostResponse(context, client, { action: uri, fields: sent });
  return { ...page, headers: { ...page.headers, ...headers } };
}

/** The URL that a response redirects to; `undefined` if it is sent as a form. */
export async function responseLocation(
  context: ResponseContext,
  destination: RedirectDestination,
  fields: ResponseFields,
): Promise<string | undefined> {
  return toLocation(context, destination, await sentFields(context, destination, fields));
}

/** The fields as the mode sends them. */
async function sentFields(
  { server, clientId = "" }: ResponseContext,
  { mode }: RedirectDestination,
  fields: ResponseFields,
): Promise<ResponseFields> {
  return await server.responseModes.get(mode)?.replace?.(server, clientId, fields) ?? fields;
}

function toLocation(
  { server }: ResponseContext,
  { uri, mode }: RedirectDestination,
  sent: ResponseFields,
): string | undefined {
  const carrier = server.responseModes.get(mode)?.carrier;
  if (carrier === "form") return undefined;
  return carrier === "fragment" ? `${uri}#${encodeFields(sent)}` : appendToRedirectUri(uri, sent);
}
