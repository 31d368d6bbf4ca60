/** Records responses, and reads their outcome. */

import type { Fields } from "../core/http/form.ts";
import { parseLocation } from "../platform/http/location.ts";
import { decodeJwtPart } from "../platform/http/jwt_part.ts";
import { type HttpResponse, isResponse, type PageForm } from "../core/http/message.ts";
import { parseJsonObject } from "../platform/http/json_body.ts";
import type { EndpointDescription } from "../server/endpoint.ts";
import type { Outcome, RecordedResponse } from "./exchange.ts";
import { type CapturedBody, maxCapturedBodyBytes } from "../platform/http/body_tap.ts";

/** Media types of text to record. An event stream has no end. */
const textTypePattern = /^(?:text\/(?!event-stream)|application\/(?:[\w.+-]*(?:json|jwt)|x-www-form-urlencoded)\b)/i;

/** Whether the body of a Response is recorded. */
export function hasTextBody(response: Response): boolean {
  return response.body !== null && textTypePattern.test(response.headers.get("content-type") ?? "");
}

/** The recorded part of a response, unparsed. The body of a Response is captured later. */
export function recordReply(response: HttpResponse | Response): HttpResponse {
  if (isResponse(response)) return { status: response.status, headers: headersToRecord(response), body: null };
  const { body } = response;
  // A character has at most three bytes.
  return body === null || 3 * body.length <= maxCapturedBodyBytes ? response : { ...response, body: cutBody(body) };
}

/** The recorded part of a text: a copy, because a slice would keep the whole text in memory. */
function cutBody(text: string): string {
  const bytes = new Uint8Array(maxCapturedBodyBytes);
  const { read, written } = new TextEncoder().encodeInto(text, bytes);
  return read === text.length ? text : new TextDecoder().decode(bytes.subarray(0, written));
}

export function parseResponse(
  endpoint: EndpointDescription | undefined,
  { status, headers, body, form }: HttpResponse,
  captured?: CapturedBody,
): RecordedResponse {
  const text = captured?.text ?? body;
  return {
    status,
    headers,
    ...text && { body: text },
    ...form && { hasForm: true },
    ...findAuthorizationResponse(endpoint, headers.location, form),
  };
}

function headersToRecord({ headers }: Response): Record<string, string> {
  const all = Object.fromEntries(headers);
  const cookies = headers.getSetCookie();
  return cookies.length === 0 ? all : { ...all, "set-cookie": cookies.join("\n") };
}

/** Whether an endpoint is a step that the user takes in the browser. */
function isBrowserStep(endpoint: EndpointDescription | undefined): boolean {
  return endpoint?.role === "step" && endpoint.caller === "browser";
}

/** The authorization or logout response that is sent to the client: by redirect, or by a form that submits itself. */
function findAuthorizationResponse(
  endpoint: EndpointDescription | undefined,
  location: string | undefined,
  form: PageForm | undefined,
): Pick<RecordedResponse, "authorizationResponse"> {
  const received = location !== undefined ? parseLocation(location) : form && { uri: form.action, params: form.fields };
  if (received === undefined || !isBrowserStep(endpoint)) return {};
  const sent = { ...received, params: [...received.params, ...signedParams(received.params)] };
  const leavesServer = endpoint!.errors === "redirect"
    ? sent.params.some(([name]) => ["code", "id_token", "access_token", "error"].includes(name))
    // Redirects within the server are paths.
    : location?.startsWith("/") === false;
  return leavesServer ? { authorizationResponse: sent } : {};
}

/** The parameters inside a signed authorization response (JARM); none if it is not signed. */
function signedParams(params: Fields): Fields {
  const jwt = params.find(([name]) => name === "response")?.[1] ?? "";
  const { aud: _, ...members } = decodeJwtPart(jwt, 1);
  return Object.entries(members).flatMap(([name, value]) => typeof value === "string" ? [[name, value]] : []);
}

export function isHtmlPage({ headers }: RecordedResponse): boolean {
  return headers["content-type"]?.startsWith("text/html") === true;
}

/** The members of a JSON object; empty for other responses. */
export function parseJsonMembers({ headers, body = "" }: RecordedResponse): Readonly<Record<string, unknown>> {
  const isJson = /^application\/[\w.+-]*json\b/i.test(headers["content-type"] ?? "");
  return isJson && parseJsonObject(body) || {};
}

/** The OAuth error code of a response, in its body or its redirect. */
export function findErrorCode(response: RecordedResponse): string | undefined {
  const sent = response.authorizationResponse?.params.find(([name]) => name === "error")?.[1];
  if (sent !== undefined) return sent;
  const { error } = response.status < 400 ? {} as { error?: unknown } : parseJsonMembers(response);
  return typeof error === "string" ? error : undefined;
}

/** Whether it is the 405 of a protected resource to a GET for an event stream that it does not offer. */
export function isStreamNotOffered(
  endpoint: Pick<EndpointDescription, "caller"> | undefined,
  { status }: RecordedResponse,
): boolean {
  return status === 405 && endpoint?.caller === "resource client";
}

/** The outcome of an exchange with a response. */
export function getResponseOutcome(endpoint: EndpointDescription | undefined, response: RecordedResponse): Outcome {
  if (isStreamNotOffered(endpoint, response)) return "done";
  const error = findErrorCode(response);
  if (error === "authorization_pending") return "interaction";
  if (response.status >= 400 || error !== undefined) return "rejected";
  if (response.authorizationResponse !== undefined || !isBrowserStep(endpoint)) return "done";
  // A protocol endpoint redirects within the server to ask the user. A page redirects after its action.
  if (response.headers.location !== undefined) return endpoint!.metadataName === undefined ? "done" : "interaction";
  if (!isHtmlPage(response)) return "done";
  return endpoint!.errors === "redirect" || response.hasForm ? "interaction" : "done";
}
