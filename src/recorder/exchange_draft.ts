/** The mutable draft of an exchange: references to what was received and sent, parsed when a page or listener asks. */

import type { HttpResponse } from "../core/http/message.ts";
import type { RegisteredSecrets } from "../server/redaction/registered_secrets.ts";
import type { RuleId } from "../core/rules/mod.ts";
import type { TraceEvent } from "../server/trace.ts";
import type { EndpointDescription } from "../server/endpoint.ts";
import { unknownEndpoint } from "./exchange.ts";
import type { Exchange, Outcome, PassedCheck, RecordedRequest, RecordedResponse } from "./exchange.ts";
import type { LinkedListNode } from "../core/store/linked_list.ts";
import type { CapturedBody } from "../platform/http/body_tap.ts";
import { getResponseOutcome, parseResponse } from "./record_response.ts";
import { findAuthMethod, findClientId, parseRequest, type RequestHead } from "./record_request.ts";

export interface FlowGroup extends LinkedListNode<FlowGroup> {
  /** The ID of the flow; absent for an exchange outside of flows. */
  flow?: string;
  /** The exchanges in the order of their requests. */
  readonly drafts: ExchangeDraft[];
  /** The client of the flow: the first one that an exchange names. It stays after that exchange is evicted. */
  client?: string;
  /**
   * The exchanges not yet searched for the client, so that each is parsed for it once; empty when the client is known.
   */
  readonly unsearched: ExchangeDraft[];
}

/** The recorded part of an exchange. */
export interface ExchangeDraft {
  readonly number: number;
  readonly at: number;
  /** Absent if no route matches the path. */
  readonly endpoint?: EndpointDescription;
  /** The secrets of the server's clients; absent before the recorder is set up. */
  readonly registered?: RegisteredSecrets;
  /** Whether the limit of new flows was reached. */
  readonly isBeyondLimit: boolean;
  /** Whether the response decides if it is recorded: that limit was reached, or the limit of notable exchanges. */
  readonly isUndecided: boolean;
  readonly head: RequestHead;
  /** The body of the request, as far as it was read. */
  body?: CapturedBody;
  /** Absent while the exchange is pending, and after a dropped connection. */
  reply?: HttpResponse;
  /** The body of a response that is a stream, as far as it was read. */
  replyBody?: CapturedBody;
  respondedAt?: number;
  newestAtResponse?: number;
  /** Whether the connection was dropped, or the response broke off. */
  dropped: boolean;
  /** The passed checks: rule and value alternate. Objects would take more memory, because checks are many. */
  readonly passed: (string | number | undefined)[];
  readonly events: TraceEvent[];
  readonly faults: string[];
  /** Absent after eviction. */
  group?: FlowGroup;
  /** The values that link later exchanges to this flow. */
  readonly links: string[];
  /** Estimated size, in bytes; 0 before it is added to the index. */
  bytes: number;
  /** The current immutable exchange; absent before its first use and after a change. */
  snapshot?: Exchange;
}

export function createDraft(
  head: RequestHead,
  endpoint: EndpointDescription | undefined,
  registered: RegisteredSecrets | undefined,
  start: Pick<ExchangeDraft, "number" | "at" | "isBeyondLimit" | "isUndecided">,
): ExchangeDraft {
  return {
    ...start,
    endpoint,
    registered,
    head,
    bytes: 0,
    dropped: false,
    passed: [],
    events: [],
    faults: [],
    links: [],
  };
}

/** The parsed response of a draft; `undefined` without one. */
export function getResponse({ endpoint, reply, replyBody }: ExchangeDraft): RecordedResponse | undefined {
  return reply && parseResponse(endpoint, reply, replyBody);
}

/** The secrets to redact in each exchange. They are not a member of Exchange, because an exchange is plain data. */
const registeredSecrets = new WeakMap<Exchange, RegisteredSecrets>();

export function toExchange(draft: ExchangeDraft): Exchange {
  if (draft.snapshot !== undefined) return draft.snapshot;
  draft.snapshot = buildExchange(draft);
  keepRegisteredSecrets(draft.snapshot, draft.registered);
  return draft.snapshot;
}

/** Remembers the secrets of the server for an exchange, for its redaction. */
export function keepRegisteredSecrets(exchange: Exchange, secrets: RegisteredSecrets | undefined): void {
  if (secrets !== undefined) registeredSecrets.set(exchange, secrets);
}

/** The client secrets of the server that recorded an exchange; `undefined` for an exchange created elsewhere. */
export function registeredSecretsFor(exchange: Exchange): RegisteredSecrets | undefined {
  return registeredSecrets.get(exchange);
}

/** The client that the server found, or else the one that the request names. */
function findClient(draft: ExchangeDraft, request: RecordedRequest): string | undefined {
  for (const event of draft.events) if ("client" in event && event.client !== undefined) return event.client;
  return findClientId(request);
}

function buildExchange(draft: ExchangeDraft): Exchange {
  const { number, at, respondedAt, newestAtResponse, endpoint, events, group } = draft;
  const request = parseRequest(draft.head, draft.body);
  const response = getResponse(draft);
  const isClientEndpoint = endpoint?.caller === "client";
  const client = findClient(draft, request) ?? (isClientEndpoint ? undefined : findFlowClient(group));
  const auth = isClientEndpoint ? findAuthMethod(request) : undefined;
  const rejected = events.findLast((event) => event.type === "rejected");
  return {
    number,
    at,
    ...respondedAt !== undefined && { respondedAt, newestAtResponse },
    endpoint: endpoint?.name ?? unknownEndpoint,
    title: endpoint === undefined ? "Unknown address" : findTitle(endpoint, request),
    ...endpoint?.origin !== undefined && { origin: endpoint.origin },
    ...endpoint?.doneLabel !== undefined && { doneLabel: endpoint.doneLabel },
    caller: endpoint?.caller ?? "any",
    request,
    ...response && { response },
    outcome: getOutcome(draft, response),
    ...client !== undefined && { client },
    ...auth && { auth },
    passed: toPassedChecks(draft.passed),
    ...rejected && { rejection: { error: rejected.error, explanation: rejected.explanation } },
    warnings: events.flatMap((event) => event.type === "warning" ? [event.explanation] : []),
    events: [...events],
    faults: [...draft.faults],
    ...group?.flow !== undefined && { flow: group.flow },
  };
}

/** The title of a request to an endpoint, such as `Code exchange`. */
function findTitle(
  { title, grantTitles = {} }: EndpointDescription,
  { form }: Pick<RecordedRequest, "form">,
): string {
  const grantType = form.find(([name]) => name === "grant_type")?.[1] ?? "";
  return Object.hasOwn(grantTitles, grantType) ? grantTitles[grantType]! : title;
}

/** The checks that have passed, each once: a login that continues is checked again when it is approved. */
function toPassedChecks(passed: ExchangeDraft["passed"]): PassedCheck[] {
  const checks: PassedCheck[] = [];
  for (let i = 0; i < passed.length; i += 2) {
    const value = passed[i + 1];
    const text = typeof value === "number" ? `valid until ${new Date(value).toISOString()}` : value;
    const rule = passed[i] as RuleId;
    if (checks.some((check) => check.rule === rule && check.value === text)) continue;
    checks.push({ rule, ...text !== undefined && { value: text } });
  }
  return checks;
}

function getOutcome({ dropped, endpoint, events }: ExchangeDraft, response: RecordedResponse | undefined): Outcome {
  if (dropped) return "dropped";
  if (response === undefined) return "pending";
  if (hasMissingPage(events)) return "missing";
  const isChallenge = response.status === 401 && events.some(({ type }) => type === "challenged");
  return isChallenge ? "challenged" : getResponseOutcome(endpoint, response);
}

/** Whether a rule, or an error of the server, ended the request. */
export function isRejected({ events }: Pick<ExchangeDraft, "events">): boolean {
  return events.some(({ type }) => type === "rejected" || type === "internal_error");
}

/** Whether an exchange is rejected, dropped or changed by a fault. */
export function isNotable(draft: ExchangeDraft): boolean {
  return draft.dropped || draft.faults.length > 0 || isRejected(draft);
}

/** Whether a browser opened a URL that has no page. */
export function hasMissingPage(events: readonly TraceEvent[]): boolean {
  return events.some(({ type }) => type === "page_missing");
}

/** Adds an exchange to those to search for the client of its flow, because it is new there or has a new event. */
export function searchForClient(draft: ExchangeDraft): void {
  const { group } = draft;
  if (group !== undefined && group.client === undefined) group.unsearched.push(draft);
}

/** The client of a flow; `undefined` outside of flows. */
export function findFlowClient(group: FlowGroup | undefined): string | undefined {
  if (group?.flow === undefined) return undefined;
  for (const draft of group.unsearched) {
    // Not cached: most requests are parsed once, to find their flow.
    group.client = findClient(draft, draft.snapshot?.request ?? parseRequest(draft.head, draft.body));
    if (group.client !== undefined) break;
  }
  group.unsearched.length = 0;
  return group.client;
}

/** Estimated size of an exchange without its texts, in bytes: objects, events and links. */
const exchangeBytes = 2048;

/** The estimated size of a draft, in bytes. Reads all of its request, so that the copy of it is complete. */
export function measureDraft({ head, body, reply }: ExchangeDraft): number {
  return exchangeBytes + textBytes(head.path, head.query) + headerBytes(head.headers) + textBytes(body?.text ?? "") +
    (reply === undefined ? 0 : replyBytes(reply));
}

export function replyBytes({ body, headers }: HttpResponse): number {
  return textBytes(body ?? "") + headerBytes(headers);
}

/** Maximum size of texts, in bytes: two for each character. */
export function textBytes(first: string, second = ""): number {
  return 2 * (first.length + second.length);
}

function headerBytes(headers: Readonly<Record<string, string>>): number {
  let bytes = 0;
  for (const name in headers) bytes += textBytes(headers[name]!);
  return bytes;
}
