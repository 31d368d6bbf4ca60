/** A flow as JSON, for `/flows.json`. */

import type { Fields } from "../../core/http/form.ts";
import type { Exchange, Flow, RecordedRequest, RecordedResponse } from "../exchange.ts";
import { isHtmlPage } from "../record_response.ts";

/** A flow for programs, as it is given: with its secrets, unless they were redacted before. */
export function toFlowData({ client, outcome, exchanges }: Flow) {
  return { ...client !== undefined && { client }, outcome, exchanges: exchanges.map(toExchangeData) };
}

/** One request and its response. Rules are named by their IDs, in the order in which they ran. */
function toExchangeData(exchange: Exchange) {
  const { endpoint, outcome, client, auth, request, response, passed, rejection, warnings, faults } = exchange;
  return {
    endpoint,
    outcome,
    ...client !== undefined && { client },
    ...auth && { auth },
    request: toRequestData(request),
    ...response && { response: toResponseData(response) },
    passed: passed.map(({ rule }) => rule),
    ...rejection && { rejection: toRejectionData(rejection) },
    warnings: warnings.flatMap(({ rule }) => rule ?? []),
    faults,
  };
}

/** The rejection with its whole explanation, including the fix. */
function toRejectionData({ error, explanation }: NonNullable<Exchange["rejection"]>) {
  const { rule, reason, expected, received, earlier, fix } = explanation;
  return { error, rule, reason, expected, received, earlier, fix };
}

/** The headers that influence the response, without those of the transport. */
const requestHeaders = ["authorization", "content-type", "cookie", "dpop", "origin"];
const responseHeaders = ["content-type", "location", "retry-after", "set-cookie", "www-authenticate"];

/** The request; with a body if it is not a form. */
function toRequestData({ method, path, headers, query, form, body }: RecordedRequest) {
  const picked = pickHeaders(headers, requestHeaders);
  return {
    method,
    path,
    ...picked && { headers: picked },
    ...query.length > 0 && { query: groupByName(query) },
    ...form.length > 0 && { form: groupByName(form) },
    ...form.length === 0 && body !== undefined && { body },
  };
}

/** The response, with its body parsed if it is JSON, and without that of a page. */
function toResponseData(response: RecordedResponse) {
  const { status, headers, authorizationResponse, body } = response;
  const picked = pickHeaders(
    headers,
    authorizationResponse === undefined ? responseHeaders : responseHeaders.filter((name) => name !== "location"),
  );
  return {
    status,
    ...picked && { headers: picked },
    ...authorizationResponse &&
      { authorizationResponse: { uri: authorizationResponse.uri, params: groupByName(authorizationResponse.params) } },
    ...body && !isHtmlPage(response) && { body: parseJson(body) },
  };
}

function pickHeaders(
  headers: Readonly<Record<string, string>>,
  names: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const picked = names.filter((name) => headers[name] !== undefined).map((name) => [name, headers[name]!]);
  return picked.length === 0 ? undefined : Object.fromEntries(picked);
}

/** Parameters by name; a repeated parameter has several values. */
function groupByName(fields: Fields): Readonly<Record<string, string | readonly string[]>> {
  const values = new Map<string, string[]>();
  for (const [name, value] of fields) values.set(name, [...values.get(name) ?? [], value]);
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? all[0]! : all]));
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
