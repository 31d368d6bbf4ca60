/** A flow as a test fixture: JSON that is equal for equal flows, independent of times and secrets. */

import type { Fields } from "../../core/http/form.ts";
import { findRule } from "../../server/rules.ts";
import type { Exchange, Flow, RecordedRequest, RecordedResponse } from "../exchange.ts";
import { redactFlow, type RedactOptions } from "../redact.ts";
import { isHtmlPage } from "../record_response.ts";
import { normalizeExchanges } from "./normalize.ts";

/** What a fixture contains. */
interface FixtureOptions extends RedactOptions {
  /** Whether rejections have the expected and the received value, and the fix of their rule. Default: false. */
  readonly explained?: boolean;
}

/** Parameters by name; a repeated parameter has several values. */
type FixtureFields = Readonly<Record<string, string | readonly string[]>>;

/**
 * Creates a fixture, to store beside a test and to compare with a later run or replay. Random values are replaced by
 * placeholders, such as `{{code 1}}`. With `redact: false` it contains the original values, which differ between runs.
 */
export function toFixture(flow: Flow, { redact = true, explained = false }: FixtureOptions = {}) {
  const { outcome, exchanges } = flow;
  const { client } = redact ? redactFlow(flow) : flow;
  return {
    ...client !== undefined && { client },
    outcome,
    exchanges: (redact ? normalizeExchanges(exchanges) : exchanges)
      .map((exchange) => toFixtureExchange(exchange, explained)),
  };
}

/** One request and its response. Rules are named by their IDs, in the order in which they ran. */
function toFixtureExchange(exchange: Exchange, explained: boolean) {
  const { endpoint, outcome, client, auth, request, response, passed, rejection, warnings, faults } = exchange;
  return {
    endpoint,
    outcome,
    ...client !== undefined && { client },
    ...auth && { auth },
    request: toFixtureRequest(request),
    ...response && { response: toFixtureResponse(response) },
    passed: passed.map(({ rule }) => rule),
    ...rejection && { rejection: (explained ? toExplainedRejection : toFixtureRejection)(rejection) },
    warnings: warnings.flatMap(({ rule }) => rule ?? []),
    faults,
  };
}

/** The rejection, with its fix if that is not the one of the rule. */
function toFixtureRejection({ error, explanation: { rule, reason, fix } }: NonNullable<Exchange["rejection"]>) {
  return { error, rule, reason, ...fix !== findRule(rule)?.fix && { fix } };
}

/** The rejection with its whole explanation, including the fix. */
function toExplainedRejection({ error, explanation }: NonNullable<Exchange["rejection"]>) {
  const { rule, reason, expected, received, earlier, fix } = explanation;
  return { error, rule, reason, expected, received, earlier, fix };
}

/** The headers that influence the response, without those of the transport. */
const requestHeaders = ["authorization", "content-type", "cookie", "dpop", "origin"];
const responseHeaders = ["content-type", "location", "retry-after", "set-cookie", "www-authenticate"];

/** The request; with a body if it is not a form. */
function toFixtureRequest({ method, path, headers, query, form, body }: RecordedRequest) {
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
function toFixtureResponse(response: RecordedResponse) {
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

function groupByName(fields: Fields): FixtureFields {
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
