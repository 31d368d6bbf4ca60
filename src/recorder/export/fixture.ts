/** A flow as a test fixture: JSON that is equal for equal flows, independent of times and secrets. */

import type { Fields } from "../../http/form.ts";
import type { Exchange, Flow, RecordedRequest, RecordedResponse } from "../exchange.ts";
import { redactFlow } from "../redact.ts";
import type { RedactOptions } from "../redact.ts";
import { isHtmlPage } from "../record_response.ts";
import { normalizeExchanges } from "./normalize.ts";

/** Parameters by name; a repeated parameter has several values. */
type FixtureFields = Readonly<Record<string, string | readonly string[]>>;

/** A flow to store beside a test, and to compare with a later run or replay. */
interface Fixture {
  readonly client?: string;
  readonly outcome: string;
  readonly exchanges: readonly FixtureExchange[];
}

/** One request and its response. Random values are replaced by placeholders, such as `{{code 1}}`. */
interface FixtureExchange {
  readonly endpoint: string;
  readonly outcome: string;
  readonly client?: string;
  readonly auth?: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly query?: FixtureFields;
    readonly form?: FixtureFields;
    /** The body, if it is not a form. */
    readonly body?: string;
  };
  readonly response?: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly authorizationResponse?: { readonly uri: string; readonly params: FixtureFields };
    /** The body, parsed if it is JSON; absent for pages. */
    readonly body?: unknown;
  };
  /** The IDs of the passed rules, in the order in which they ran. */
  readonly passed: readonly string[];
  readonly rejection?: { readonly error: string; readonly rule: string; readonly reason: string };
  /** The IDs of the rules with warnings. */
  readonly warnings: readonly string[];
  readonly faults: readonly string[];
}

/** Creates a fixture. With `redact: false` it contains the original values, which differ between runs. */
export function toFixture(flow: Flow, { redact = true }: RedactOptions = {}): Fixture {
  const { outcome, exchanges } = flow;
  const { client } = redact ? redactFlow(flow) : flow;
  return {
    ...client !== undefined && { client },
    outcome,
    exchanges: (redact ? normalizeExchanges(exchanges) : exchanges).map(toFixtureExchange),
  };
}

function toFixtureExchange(exchange: Exchange): FixtureExchange {
  const { endpoint, outcome, client, auth, request, response, passed, rejection, warnings, faults } = exchange;
  return {
    endpoint,
    outcome,
    ...client !== undefined && { client },
    ...auth && { auth },
    request: toFixtureRequest(request),
    ...response && { response: toFixtureResponse(response) },
    passed: passed.map(({ rule }) => rule),
    ...rejection &&
      { rejection: { error: rejection.error, rule: rejection.explanation.rule, reason: rejection.explanation.reason } },
    warnings: warnings.map(({ rule }) => rule),
    faults,
  };
}

/** The headers that influence the response, without those of the transport. */
const requestHeaders = ["authorization", "content-type", "cookie", "dpop", "origin"];
const responseHeaders = ["content-type", "location", "retry-after", "set-cookie", "www-authenticate"];

function toFixtureRequest({ method, path, headers, query, form, body }: RecordedRequest): FixtureExchange["request"] {
  const picked = pickHeaders(headers, requestHeaders);
  return {
    method,
    path,
    ...picked && { headers: picked },
    ...query.length > 0 && { query: groupByName(query) },
    ...form.length > 0 ? { form: groupByName(form) } : body !== undefined && { body },
  };
}

function toFixtureResponse(response: RecordedResponse): FixtureExchange["response"] {
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
