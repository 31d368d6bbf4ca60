/** The mutable draft of an exchange. */

import type { RegisteredSecrets } from "../oauth/clients/registered_secrets.ts";
import type { TraceEvent } from "../oauth/trace.ts";
import type { EndpointDescription } from "../app/endpoint.ts";
import { unknownEndpoint } from "./exchange.ts";
import type { Exchange, Outcome, PassedCheck, RecordedRequest, RecordedResponse } from "./exchange.ts";
import { getResponseOutcome } from "./record_response.ts";
import { findAuthMethod, findClientId } from "./record_request.ts";

/** The exchanges of one flow. */
export interface FlowGroup {
  /** The ID of the flow; absent for an exchange outside of flows. */
  flow?: string;
  /** The exchanges in the order of their requests. */
  readonly drafts: ExchangeDraft[];
}

/** The recorded part of an exchange. */
export interface ExchangeDraft {
  readonly number: number;
  readonly at: number;
  /** Absent if no route matches the path. */
  readonly endpoint?: EndpointDescription;
  /** The secrets of the server's clients; absent before the recorder is set up. */
  readonly registered?: RegisteredSecrets;
  request: RecordedRequest;
  response?: RecordedResponse;
  respondedAt?: number;
  /** Whether the connection was dropped, or the response broke off. */
  dropped: boolean;
  readonly passed: PassedCheck[];
  readonly events: TraceEvent[];
  readonly faults: string[];
  /** Absent after eviction. */
  group?: FlowGroup;
  /** The values that link later exchanges to this flow. */
  readonly links: string[];
  /** The current immutable exchange; absent after a change. */
  snapshot?: Exchange;
}

/** The secrets to redact in each exchange. They are not a member of Exchange, because an exchange is plain data. */
const registeredSecrets = new WeakMap<Exchange, RegisteredSecrets>();

/** The current exchange of a draft. */
export function toExchange(draft: ExchangeDraft): Exchange {
  if (draft.snapshot !== undefined) return draft.snapshot;
  draft.snapshot = buildExchange(draft);
  if (draft.registered !== undefined) registeredSecrets.set(draft.snapshot, draft.registered);
  return draft.snapshot;
}

/** The client secrets of the server that recorded an exchange; `undefined` for an exchange created elsewhere. */
export function registeredSecretsFor(exchange: Exchange): RegisteredSecrets | undefined {
  return registeredSecrets.get(exchange);
}

/** The client that the request names or that authenticated. */
function findClient({ request, events }: ExchangeDraft): string | undefined {
  const namedClient = findClientId(request);
  if (namedClient !== undefined) return namedClient;
  for (const event of events) if ("client" in event && event.client !== undefined) return event.client;
  return undefined;
}

function buildExchange(draft: ExchangeDraft): Exchange {
  const { number, at, respondedAt, endpoint, request, response, events, group } = draft;
  const isClientEndpoint = endpoint?.caller === "client";
  const client = findClient(draft) ?? (isClientEndpoint ? undefined : findFlowClient(group));
  const auth = isClientEndpoint ? findAuthMethod(request) : undefined;
  const rejected = events.findLast((event) => event.type === "rejected");
  return {
    number,
    at,
    ...respondedAt !== undefined && { respondedAt },
    endpoint: endpoint?.name ?? unknownEndpoint,
    title: endpoint?.title ?? "Unknown address",
    ...endpoint?.doneLabel !== undefined && { doneLabel: endpoint.doneLabel },
    caller: endpoint?.caller ?? "any",
    request,
    ...response && { response },
    outcome: getOutcome(draft),
    ...client !== undefined && { client },
    ...auth && { auth },
    passed: [...draft.passed],
    ...rejected && { rejection: { error: rejected.error, explanation: rejected.explanation } },
    warnings: events.flatMap((event) => event.type === "warning" ? [event.explanation] : []),
    events: [...events],
    faults: [...draft.faults],
    ...group?.flow !== undefined && { flow: group.flow },
  };
}

function getOutcome({ dropped, response, endpoint, events }: ExchangeDraft): Outcome {
  if (dropped) return "dropped";
  if (response === undefined) return "pending";
  const isChallenge = response.status === 401 && events.some(({ type }) => type === "challenged");
  return isChallenge ? "challenged" : getResponseOutcome(endpoint, response);
}

/** The client of a flow: the first one that an exchange names. */
export function findFlowClient(group: FlowGroup | undefined): string | undefined {
  for (const draft of group?.flow === undefined ? [] : group.drafts) {
    const client = findClient(draft);
    if (client !== undefined) return client;
  }
  return undefined;
}
