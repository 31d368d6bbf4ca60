/** One exchange while it is being written down. */

import type { RegisteredSecrets } from "../oauth/clients/registered_secrets.ts";
import type { TraceEvent } from "../oauth/trace.ts";
import type { EndpointName } from "./endpoint_name.ts";
import type { Exchange, HeldRule, Outcome, RecordedAnswer, RecordedRequest } from "./exchange.ts";
import { outcomeOf } from "./read_response.ts";
import { authOf, clientOf } from "./read_request.ts";

/** What an exchange shares with the others of its flow. */
export interface Chapter {
  /** The flow; absent for what belongs to none. */
  flow?: string;
  /** In the order in which they came. */
  readonly entries: Entry[];
}

/** What is known of an exchange so far. */
export interface Entry {
  readonly number: number;
  readonly at: number;
  readonly endpoint: EndpointName;
  /** The secrets of the server's clients; absent if the recorder was never opened. */
  readonly registered?: RegisteredSecrets;
  request: RecordedRequest;
  answer?: RecordedAnswer;
  answeredAt?: number;
  /** Whether the answer was dropped, or broke off. */
  lost: boolean;
  readonly held: HeldRule[];
  readonly events: TraceEvent[];
  readonly faults: string[];
  /** Absent once it is forgotten. */
  chapter?: Chapter;
  /** The values by which later exchanges can be told to belong to this one's flow. */
  readonly links: string[];
  /** The exchange as others see it; absent when something has changed since. */
  seen?: Exchange;
}

/** Endpoints at which clients say who they are. */
const forClients: readonly EndpointName[] = ["token", "revoke", "introspect"];

/** The secrets to redact in each exchange; kept here because an exchange is plain data. */
const secretsOfServers = new WeakMap<Exchange, RegisteredSecrets>();

/** The exchange as it stands. */
export function exchangeIn(entry: Entry): Exchange {
  if (entry.seen !== undefined) return entry.seen;
  entry.seen = describe(entry);
  if (entry.registered !== undefined) secretsOfServers.set(entry.seen, entry.registered);
  return entry.seen;
}

/** The client secrets of the server that recorded an exchange; `undefined` for an exchange created elsewhere. */
export function registeredAt(exchange: Exchange): RegisteredSecrets | undefined {
  return secretsOfServers.get(exchange);
}

/** The client that the request names, or that authenticated. */
function clientIn({ request, events }: Entry): string | undefined {
  const named = clientOf(request);
  if (named !== undefined) return named;
  for (const event of events) if ("client" in event && event.client !== undefined) return event.client;
  return undefined;
}

function describe(entry: Entry): Exchange {
  const { number, at, answeredAt, endpoint, request, answer, events, chapter } = entry;
  const isForClients = forClients.includes(endpoint);
  const client = clientIn(entry) ?? (isForClients ? undefined : clientOfFlow(chapter));
  const auth = isForClients ? authOf(request) : undefined;
  const refused = events.findLast((event) => event.type === "refused");
  return {
    number,
    at,
    ...answeredAt !== undefined && { answeredAt },
    endpoint,
    request,
    ...answer && { answer },
    outcome: outcomeIn(entry),
    ...client !== undefined && { client },
    ...auth && { auth },
    held: [...entry.held],
    ...refused && { refusal: { error: refused.error, why: refused.why } },
    warnings: events.flatMap((event) => event.type === "warning" ? [event.why] : []),
    events: [...events],
    faults: [...entry.faults],
    ...chapter?.flow !== undefined && { flow: chapter.flow },
  };
}

/** The client of a flow: the first that one of its exchanges names. */
export function clientOfFlow(chapter: Chapter | undefined): string | undefined {
  for (const entry of chapter?.flow === undefined ? [] : chapter.entries) {
    const client = clientIn(entry);
    if (client !== undefined) return client;
  }
  return undefined;
}

function outcomeIn({ lost, answer, endpoint }: Entry): Outcome {
  if (lost) return "lost";
  return answer === undefined ? "under way" : outcomeOf(endpoint, answer);
}
