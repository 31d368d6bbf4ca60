/** A flow as a test fixture: JSON that is the same for the same flow, whenever and with whatever secrets it ran. */

import type { Fields } from "../../http/form.ts";
import type { Exchange, Flow, RecordedAnswer, RecordedRequest } from "../exchange.ts";
import { maskFlow } from "../redact.ts";
import type { MaskOptions } from "../redact.ts";
import { isPage } from "../read_response.ts";
import { stableExchanges } from "./normalize.ts";

/** Parameters by name; a repeated one has several values. */
export type FixtureFields = Readonly<Record<string, string | readonly string[]>>;

/** A flow, fit to be kept beside a test: to be compared with a later run, or replayed. */
export interface Fixture {
  readonly client?: string;
  readonly outcome: string;
  readonly exchanges: readonly FixtureExchange[];
}

/** One request and its answer. What is drawn anew each time has a name instead of its value, such as `{{code 1}}`. */
export interface FixtureExchange {
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
    /** Where it was no form. */
    readonly body?: string;
  };
  readonly answer?: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly handover?: { readonly uri: string; readonly params: FixtureFields };
    /** Parsed, where it is JSON; absent for pages. */
    readonly body?: unknown;
  };
  /** The IDs of the rules that held, in the order of looking. */
  readonly held: readonly string[];
  readonly refusal?: { readonly error: string; readonly rule: string; readonly reason: string };
  /** The IDs of the rules that something should be mended for. */
  readonly warnings: readonly string[];
  readonly faults: readonly string[];
}

/** Makes a fixture. With `mask: false` it holds the values themselves, which are others each time. */
export function asFixture(flow: Flow, { mask = true }: MaskOptions = {}): Fixture {
  const { outcome, exchanges } = flow;
  const { client } = mask ? maskFlow(flow) : flow;
  return {
    ...client !== undefined && { client },
    outcome,
    exchanges: (mask ? stableExchanges(exchanges) : exchanges).map(describe),
  };
}

function describe(exchange: Exchange): FixtureExchange {
  const { endpoint, outcome, client, auth, request, answer, held, refusal, warnings, faults } = exchange;
  return {
    endpoint,
    outcome,
    ...client !== undefined && { client },
    ...auth && { auth },
    request: describeRequest(request),
    ...answer && { answer: describeAnswer(answer) },
    held: held.map(({ rule }) => rule),
    ...refusal && { refusal: { error: refusal.error, rule: refusal.why.rule, reason: refusal.why.reason } },
    warnings: warnings.map(({ rule }) => rule),
    faults,
  };
}

/** The headers that decide something, and are not the transport's. */
const sent = ["authorization", "content-type", "cookie", "dpop", "origin"];
const answered = ["content-type", "location", "retry-after", "set-cookie", "www-authenticate"];

function describeRequest({ method, path, headers, query, form, body }: RecordedRequest): FixtureExchange["request"] {
  const kept = pick(headers, sent);
  return {
    method,
    path,
    ...kept && { headers: kept },
    ...query.length > 0 && { query: byName(query) },
    ...form.length > 0 ? { form: byName(form) } : body !== undefined && { body },
  };
}

function describeAnswer(answer: RecordedAnswer): FixtureExchange["answer"] {
  const { status, headers, handover, body } = answer;
  const kept = pick(headers, handover === undefined ? answered : answered.filter((name) => name !== "location"));
  return {
    status,
    ...kept && { headers: kept },
    ...handover && { handover: { uri: handover.uri, params: byName(handover.params) } },
    ...body && !isPage(answer) && { body: parsed(body) },
  };
}

function pick(
  headers: Readonly<Record<string, string>>,
  names: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const kept = names.filter((name) => headers[name] !== undefined).map((name) => [name, headers[name]!]);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function byName(fields: Fields): FixtureFields {
  const values = new Map<string, string[]>();
  for (const [name, value] of fields) values.set(name, [...values.get(name) ?? [], value]);
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? all[0]! : all]));
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
