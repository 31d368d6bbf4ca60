/** The flow index: a bounded number of exchanges, grouped into flows by the values that they share. */

import type { ParameterDescription } from "../oauth/parameter.ts";
import { type ExchangeDraft, findFlowClient, type FlowGroup, toExchange } from "./exchange_draft.ts";
import type { Exchange, Flow, Outcome } from "./exchange.ts";
import { parseJsonMembers, parseLocation } from "./record_response.ts";
import { findBearerToken, findParam } from "./record_request.ts";

/** Maximum length of a linking value, in characters. The server issues no value longer than this. */
const maxLinkChars = 16 * 1024;

/** Creates an empty index for at most `limit` exchanges. It evicts the least recently used flows. */
export function flowIndex(limit: number) {
  const drafts = new Map<number, ExchangeDraft>();
  /** The groups, least recently used first. */
  const groups = new Set<FlowGroup>();
  const flows = new Map<string, FlowGroup>();
  /** The newest exchange with each linking value, so that a value stays linked while its flow is in use. */
  const links = new Map<string, ExchangeDraft>();
  let flowCount = 0;

  function addLink(draft: ExchangeDraft, value: unknown): void {
    if (typeof value !== "string" || value === "" || value.length > maxLinkChars || !draft.group) return;
    links.set(value, draft);
    draft.links.push(value);
  }

  function evict(draft: ExchangeDraft): void {
    drafts.delete(draft.number);
    for (const value of draft.links) if (links.get(value) === draft) links.delete(value);
    draft.group = undefined;
    draft.snapshot = undefined;
  }

  function removeGroup(group: FlowGroup): void {
    group.drafts.forEach(evict);
    groups.delete(group);
    if (group.flow !== undefined) flows.delete(group.flow);
  }

  function touch(group: FlowGroup): void {
    groups.delete(group);
    groups.add(group);
    for (const oldest of groups) {
      if (drafts.size <= limit) return;
      if (oldest !== group) removeGroup(oldest);
    }
    // This flow alone exceeds the limit.
    while (drafts.size > limit) evict(group.drafts.shift()!);
  }

  function move(draft: ExchangeDraft, group: FlowGroup): void {
    const previous = draft.group!;
    previous.drafts.splice(previous.drafts.indexOf(draft), 1);
    if (previous.drafts.length === 0) groups.delete(previous);
    const position = group.drafts.findIndex(({ number }) => number > draft.number);
    group.drafts.splice(position < 0 ? group.drafts.length : position, 0, draft);
    draft.group = group;
    draft.snapshot = undefined;
    touch(group);
  }

  return {
    /** Adds an exchange, at first in its own group. */
    add(draft: ExchangeDraft): void {
      const group: FlowGroup = { drafts: [draft] };
      draft.group = group;
      drafts.set(draft.number, draft);
      // Evicts nothing yet, because the exchange may belong to the flow that would be evicted.
      groups.add(group);
    },

    /** Assigns an exchange to its flow, after its request is recorded. Idempotent. */
    assign(draft: ExchangeDraft): void {
      if (draft.group === undefined || draft.group.flow !== undefined) return;
      const { request, endpoint } = draft;
      const bearer = endpoint?.caller === "resource client" ? findBearerToken(request) : undefined;
      const values = [bearer, ...linkingNames(endpoint?.parameters).map((name) => findParam(request, name))]
        .filter((value) => value !== undefined);
      const existing = values.map((value) => links.get(value)?.group).find((group) => group?.flow !== undefined);
      if (existing !== undefined) {
        const shared = values.filter((value) => links.get(value)?.group === existing);
        move(draft, existing);
        for (const value of shared) addLink(draft, value);
        return;
      }
      if (endpoint?.role === "step" && request.method !== "HEAD") {
        draft.group.flow = String(++flowCount);
        draft.snapshot = undefined;
        flows.set(draft.group.flow, draft.group);
      }
      touch(draft.group);
    },

    /** Indexes the linking values of a response. */
    indexResponse(draft: ExchangeDraft): void {
      const { response, group } = draft;
      if (response === undefined || group?.flow === undefined) return;
      const names = linkingNames(draft.endpoint?.responseParameters);
      if (names.length === 0) return;
      const { location } = response.headers;
      const params = response.authorizationResponse?.params ??
        (location === undefined ? [] : parseLocation(location).params);
      for (const [name, value] of params) if (names.includes(name)) addLink(draft, value);
      const members = parseJsonMembers(response);
      for (const name of names) addLink(draft, members[name]);
    },

    exchanges: (): readonly Exchange[] => [...drafts.values()].map(toExchange),
    flows: (): readonly Flow[] => [...flows.values()].map(toFlow),
    flow(id: string): Flow | undefined {
      const group = flows.get(id);
      return group && toFlow(group);
    },
    clear(flow?: string): void {
      const removed = flow === undefined ? [...groups] : [flows.get(flow)];
      for (const group of removed) if (group !== undefined) removeGroup(group);
    },
  };
}

function linkingNames(list: readonly ParameterDescription[] | undefined): string[] {
  return list?.flatMap(({ name, linksFlow }) => linksFlow ? [name] : []) ?? [];
}

function toFlow(group: FlowGroup): Flow {
  const exchanges = group.drafts.map(toExchange);
  const events = exchanges.flatMap((exchange) => exchange.events);
  const issuance = events.findLast((event) => event.type === "tokens_issued" || event.type === "code_issued");
  const client = findFlowClient(group);
  return {
    id: group.flow!,
    startedAt: exchanges[0]!.at,
    ...client !== undefined && { client },
    ...issuance && { sub: issuance.sub, grantId: issuance.grantId },
    outcome: getFlowOutcome(exchanges.at(-1)!),
    exchanges,
  };
}

function getFlowOutcome({ outcome, response }: Exchange): Outcome {
  return outcome === "done" && response?.authorizationResponse?.params.some(([name]) => name === "code")
    ? "pending"
    : outcome;
}
