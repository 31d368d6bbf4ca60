/** Responses in the form of a provider. */

import { getHeader, isResponse, parseJsonObject, type ResponseLike } from "../../../../platform/http/message.ts";
import type { RequestLike } from "../../../../platform/http/message.ts";
import type { EndpointShape, ErrorShape, Members } from "../../../config/provider_shapes.ts";
import { encodeFields } from "../../../oauth/clients/redirect_uri.ts";
import { fillMembers, type FindValue } from "./fill_members.ts";

/** The error of a response: its rule, if a rule of the table describes it. */
export interface ShapedError {
  readonly rule?: string;
}

/** The JSON response of an endpoint in the form of the provider; other responses stay as they are. */
export function shapeResponse(
  request: RequestLike,
  response: ResponseLike,
  shape: EndpointShape,
  error: ShapedError,
  derive: FindValue,
): ResponseLike {
  const { format, errors, headers: added = {} } = shape;
  const body = isResponse(response) || !/^application\/json\b/.test(getHeader(response, "content-type") ?? "")
    ? undefined
    : parseJsonObject(response.body ?? "");
  if (isResponse(response) || body === undefined) return response;
  const isError = response.status >= 400;
  const members = isError ? errorMembers(body, errors, error, derive) : successMembers(body, shape, derive);
  const { statuses = {}, status: ofAll = response.status } = errors ?? {};
  const status = isError ? statuses[error.rule ?? ""] ?? statuses[String(body.error)] ?? ofAll : response.status;
  const { "www-authenticate": challenge, ...headers } = response.headers;
  const isForm = format === "form" && !acceptsJson(request);
  return {
    ...response,
    status,
    headers: {
      ...headers,
      // A challenge belongs to 401 (RFC 9110 §11.6.1).
      ...challenge !== undefined && status === response.status && { "www-authenticate": challenge },
      ...fillMembers({}, added, derive) as Record<string, string>,
      ...isForm && { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
    },
    body: isForm ? encodeForm(members) : JSON.stringify(members),
  };
}

/** The members of an error in the form of a provider. */
export function errorMembers(
  members: Members,
  { cases = {}, members: shape = {} }: ErrorShape = {},
  { rule }: ShapedError,
  derive: FindValue,
): Members {
  const values: Members = { ...members, ...cases[rule ?? ""] ?? cases[String(members.error)] ?? cases["*"] };
  return fillMembers(members, shape, (name) => values[name] ?? derive(name));
}

function successMembers(
  members: Members,
  { members: always = {}, ifPresent = {}, ifAbsent = {}, items, scopeSeparator, hiddenScope }: EndpointShape,
  derive: FindValue,
): Members {
  const shapes = [
    always,
    ...Object.entries(ifPresent).flatMap(([name, shape]) => members[name] === undefined ? [] : [shape]),
    ...Object.entries(ifAbsent).flatMap(([name, shape]) => members[name] === undefined ? [shape] : []),
  ];
  const find = (name: string) => members[name] ?? derive(name);
  const filled = shapes.reduce((filled, shape) => fillMembers(filled, shape, find), members);
  const shapeValue = (name: string, value: unknown): unknown => {
    if (items !== undefined && Array.isArray(value)) {
      return value.map((item: Members) => fillMembers(item, items, (name) => item[name] ?? derive(name)));
    }
    if (name !== "scope" || typeof value !== "string") return value;
    return value.split(" ").filter((one) => one !== hiddenScope).join(scopeSeparator ?? " ");
  };
  return Object.fromEntries(Object.entries(filled).map(([name, value]) => [name, shapeValue(name, value)]));
}

function acceptsJson({ headers }: RequestLike): boolean {
  return /application\/(?:[\w.-]+\+)?json/i.test(headers.get("accept") ?? "");
}

function encodeForm(members: Members): string {
  return encodeFields(Object.entries(members).map(([name, value]) => [name, String(value)]));
}
