/** Requests in the form that a provider accepts, rewritten to the form of the standards. */

import { type Fields, isForm, parseFields } from "../../../core/http/form.ts";
import { jsonType, parseJsonObject, readBodyText } from "../../../platform/http/json_body.ts";
import { peekForm, replaceForm, replaceParts } from "../../../platform/http/changed_request.ts";
import type { HttpRequest } from "../../../core/http/message.ts";
import type { ProviderRequest, RequestFacts } from "../../config/provider_functions.ts";
import type { Server } from "../../../core/server.ts";

/** Where an endpoint accepts parameters besides a form. */
export type Accepts = readonly ("json" | "query")[];

/** A request as the server reads it. */
export interface ChangedRequest {
  readonly request: HttpRequest;
  /** Its parameters; none if it cannot be read: then the server rejects it. */
  readonly parameters: Fields;
}

/**
 * The request as the server reads it.
 *
 * @param provider The name of the provider, for warnings.
 * @param change Returns the same value if nothing changes.
 */
export async function changeRequest(
  request: HttpRequest,
  accepts: Accepts,
  provider: string,
  facts: Pick<RequestFacts<Server>, "warn">,
  change: (request: ProviderRequest, isJson: boolean) => ProviderRequest,
): Promise<ChangedRequest> {
  const { warn } = facts;
  if (request.method === "GET" && accepts.includes("query")) {
    return { request: moveToken(request, provider, facts) ?? request, parameters: [] };
  }
  const isPost = request.method === "POST";
  const isJson = isPost && accepts.includes("json") && jsonType.test(request.headers.get("content-type") ?? "");
  const queryStart = (request.url.indexOf("?") + 1) || request.url.length;
  const [path, query] = [request.url.slice(0, queryStart), request.url.slice(queryStart)];
  const isInQuery = isPost && accepts.includes("query") && query !== "";
  let received: Fields | undefined;
  try {
    received = isJson
      ? fieldsOfJson(await readBodyText(request))
      : isPost
      ? isForm(request) ? await peekForm(request) : isInQuery ? [] : undefined
      : parseFields(query);
    if (isInQuery && received !== undefined) received = [...parseFields(query), ...received];
  } catch {
    return { request, parameters: [] };
  }
  if (received === undefined) return { request, parameters: [] };
  if (isJson) {
    warn({
      reason: `${provider} accepts parameters as JSON; other servers do not`,
      expected: "application/x-www-form-urlencoded (RFC 6749 §3.2)",
      received: "application/json",
      fix: "Send a form, which the provider accepts too.",
    });
  }
  if (isInQuery) {
    warn({
      reason: `${provider} accepts parameters in the query; other servers do not, because logs contain URLs`,
      expected: "all parameters in the body (OAuth 2.1 §2.4.1)",
      received: "parameters in the query",
      fix: "Send a form in the body, which the provider accepts too.",
    });
  }
  const given: ProviderRequest = { parameters: received, authorization: request.headers.get("authorization") };
  const { parameters, authorization } = change(given, isJson);
  let changed = request;
  if (isJson || isInQuery || parameters !== received) {
    changed = isPost
      ? replaceForm(request, parameters, isInQuery ? path.slice(0, -1) : request.url)
      : replaceParts(request, {
        url: `${path.replace(/\??$/, "?")}${new URLSearchParams(parameters.map(([name, value]) => [name, value]))}`,
        original: request,
      });
  }
  if (authorization !== null && authorization !== given.authorization) {
    changed = withAuthorization(changed, authorization);
  }
  return { request: changed, parameters };
}

function withAuthorization(request: HttpRequest, value: string, url = request.url): HttpRequest {
  const headers: HttpRequest["headers"] = {
    get: (name) => name.toLowerCase() === "authorization" ? value : request.headers.get(name),
  };
  return replaceParts(request, { url, headers, original: request });
}

/** The request with the token of its query in the header; `undefined` unless it has exactly that token. */
function moveToken(
  request: HttpRequest,
  provider: string,
  { warn }: Pick<RequestFacts<Server>, "warn">,
): HttpRequest | undefined {
  const [url = "", query = ""] = request.url.split("?");
  const [token = "", ...others] = new URLSearchParams(query).getAll("access_token");
  const isOne = others.length === 0 && /^[\w.~+/-]+=*$/.test(token);
  if (!isOne || request.headers.get("authorization") !== null) return undefined;
  warn({
    rule: "BR-01",
    reason:
      `the access token was sent in the query, which logs contain: ${provider} lets this pass; OAuth 2.1 does not`,
    expected: "Authorization: Bearer TOKEN (OAuth 2.1 §5.1)",
    received: "access_token in the query",
    fix: "Send the token in the header Authorization, which the provider accepts too.",
  });
  return withAuthorization(request, `Bearer ${token}`, url);
}

/** The members of a JSON object as parameters; `undefined` if one is not a string, number or boolean. */
function fieldsOfJson(json: string): Fields | undefined {
  const entries = Object.entries(parseJsonObject(json) ?? { invalid: {} }).filter(([, value]) => value !== null);
  const isScalar = entries.every(([, value]) => ["string", "number", "boolean"].includes(typeof value));
  return isScalar ? entries.map(([name, value]) => [name, String(value)]) : undefined;
}
