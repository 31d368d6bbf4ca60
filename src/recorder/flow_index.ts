/** The flow index: a bounded number of exchanges, grouped into flows by the values that they share. */

import type { ParameterDescription } from "../core/http/params.ts";
import type { Fields } from "../core/http/form.ts";
import { parseLocation } from "../platform/http/location.ts";
import {
  type ExchangeDraft,
  findFlowClient,
  type FlowGroup,
  getResponse,
  hasMissingPage,
  measureDraft,
  searchForClient,
  toExchange,
} from "./exchange_draft.ts";
import type { Exchange, Flow, Outcome } from "./exchange.ts";
import { parseJsonMembers } from "./record_response.ts";
import { findBearerToken, isCompleteForm, tryParseFields } from "./record_request.ts";
import { linkedList } from "../core/store/linked_list.ts";

/** Maximum length of a linking value, in characters. The server issues no value longer than this. */
const maxLinkChars = 16 * 1024;

/**
 * Creates an empty index for at most `limit` exchanges of at most `maxBytes` together, or for one larger exchange. It
 * evicts the least recently used flows.
 */
export function flowIndex(limit: number, maxBytes: number) {
  /** The groups, least recently used first. */
  const groups = linkedList<FlowGroup>();
  /** The newest exchange with each linking value, so that a value stays linked while its flow is in use. */
  const links = new Map<string, ExchangeDraft>();
  let flowCount = 0;
  let exchangeCount = 0;
  let bytes = 0;

  const isOverfull = () => exchangeCount > limit || bytes > maxBytes && exchangeCount > 1;

  const groupOf = (value: string) => links.get(value)?.group;

  function addLink(draft: ExchangeDraft, value: unknown): void {
    if (typeof value !== "string" || value === "" || value.length > maxLinkChars || !draft.group) return;
    links.set(value, draft);
    draft.links.push(value);
  }

  /** The flow that an exchange with these values continues. */
  function findExisting(values: readonly string[]): FlowGroup | undefined {
    return values.map(groupOf).find((group) => group?.flow !== undefined);
  }

  function evict(draft: ExchangeDraft): void {
    exchangeCount--;
    bytes -= draft.bytes;
    for (const value of draft.links) if (links.get(value) === draft) links.delete(value);
    draft.group = undefined;
    draft.snapshot = undefined;
  }

  function removeGroup(group: FlowGroup): void {
    for (const draft of group.drafts) evict(draft);
    groups.remove(group);
  }

  function touch(group: FlowGroup): void {
    groups.remove(group);
    groups.add(group);
    while (isOverfull() && groups.size() > 1) removeGroup(groups.first()!);
    if (!isOverfull()) return;
    // This flow alone exceeds the limit.
    findFlowClient(group);
    while (isOverfull()) evict(group.drafts.shift()!);
  }

  function* allGroups(): Iterable<FlowGroup> {
    for (let group = groups.first(); group !== undefined; group = group.next) yield group;
  }

  /** All exchanges, oldest first. */
  function allDrafts(): ExchangeDraft[] {
    return [...allGroups()].flatMap(({ drafts }) => drafts).sort((first, second) => first.number - second.number);
  }

  function findFlow(id: string): FlowGroup | undefined {
    for (const group of allGroups()) if (group.flow === id) return group;
    return undefined;
  }

  function move(draft: ExchangeDraft, group: FlowGroup): void {
    const previous = draft.group!;
    previous.drafts.splice(previous.drafts.indexOf(draft), 1);
    if (previous.drafts.length === 0) groups.remove(previous);
    // Searched from the end, because most exchanges are the newest of their flow.
    group.drafts.splice(group.drafts.findLastIndex(({ number }) => number < draft.number) + 1, 0, draft);
    draft.group = group;
    searchForClient(draft);
    draft.snapshot = undefined;
    touch(group);
  }

  return {
    /** Adds an exchange, at first in its own group. */
    add(draft: ExchangeDraft): void {
      const group: FlowGroup = { drafts: [draft], unsearched: [draft], previous: undefined, next: undefined };
      draft.group = group;
      draft.bytes = measureDraft(draft);
      exchangeCount++;
      bytes += draft.bytes;
      // Evicts nothing yet, because the exchange may belong to the flow that would be evicted.
      groups.add(group);
    },

    /** Counts further bytes of an exchange that was added. Evicts nothing yet either. */
    grow(draft: ExchangeDraft, added: number): void {
      if (draft.group === undefined) return;
      draft.bytes += added;
      bytes += added;
    },

    /** Assigns an exchange to its flow, after its request is recorded. Idempotent. */
    assign(draft: ExchangeDraft): void {
      if (draft.group === undefined || draft.group.flow !== undefined) return;
      const { endpoint } = draft;
      const values = findLinkingValues(draft);
      const existing = findExisting(values);
      if (existing !== undefined) {
        const shared = values.filter((value) => groupOf(value) === existing);
        move(draft, existing);
        for (const value of shared) addLink(draft, value);
        return;
      }
      // A request to an unknown path is the step of a client with a wrong URL.
      const isStep = endpoint === undefined || endpoint.role === "step";
      if (isStep && draft.head.method !== "HEAD" && !hasMissingPage(draft.events)) {
        draft.group.flow = String(++flowCount);
        draft.snapshot = undefined;
      }
      touch(draft.group);
    },

    /** Indexes the linking values of a response, whose size is known now. */
    indexResponse(draft: ExchangeDraft): void {
      if (draft.group !== undefined && isOverfull()) touch(draft.group);
      if (draft.reply === undefined || draft.group?.flow === undefined) return;
      const names = linkingNames(draft.endpoint?.responseParameters);
      if (names.length === 0) return;
      const { headers: { location = "" }, form } = draft.reply;
      const isFormOrSigned = form !== undefined || location.includes("response=");
      const opened = isFormOrSigned ? getResponse(draft)!.authorizationResponse : undefined;
      const { params } = opened ?? parseLocation(location);
      for (const [name, value] of params) if (names.includes(name)) addLink(draft, value);
      const members = parseJsonMembers({ ...draft.reply, body: draft.replyBody?.text ?? draft.reply.body ?? "" });
      for (const name of names) addLink(draft, members[name]);
    },

    /** Whether an exchange continues a recorded flow. */
    continuesFlow: (draft: ExchangeDraft): boolean => findExisting(findLinkingValues(draft)) !== undefined,

    exchanges: (): readonly Exchange[] => allDrafts().map(toExchange),
    flows: (): readonly Flow[] =>
      [...allGroups()].filter(({ flow }) => flow !== undefined)
        .sort((first, second) => Number(first.flow) - Number(second.flow)).map(toFlow),
    flow(id: string): Flow | undefined {
      const group = findFlow(id);
      return group && toFlow(group);
    },
    clear(flow?: string): void {
      const removed = flow === undefined ? [...allGroups()] : [findFlow(flow)];
      for (const group of removed) if (group !== undefined) removeGroup(group);
    },
  };
}

function linkingNames(parameters: readonly ParameterDescription[] = []): readonly string[] {
  return parameters.flatMap(({ name, linksFlow }) => linksFlow ? [name] : []);
}

/** The first value of a parameter that is not empty. */
function findValue(fields: Fields, name: string): string | undefined {
  return fields.find(([other, value]) => other === name && value !== "")?.[1];
}

/**
 * The values of a request that an earlier response may have sent: its access token, and the first value of each name.
 */
function findLinkingValues({ endpoint, head, body }: ExchangeDraft): readonly string[] {
  const bearer = endpoint?.caller === "resource client" ? findBearerToken(head) : undefined;
  const names = linkingNames(endpoint?.parameters);
  if (names.length === 0) return bearer === undefined ? [] : [bearer];
  const form = body !== undefined && isCompleteForm(head.headers["content-type"], body) ? body.text : "";
  const sent = [...tryParseFields(head.query), ...tryParseFields(form)];
  return [bearer, ...names.map((name) => findValue(sent, name))].filter((value) => value !== undefined);
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
    outcome: getFlowOutcome(exchanges),
    exchanges,
  };
}

/** How a flow ended: as its last exchange; `pending` while its code is not exchanged. */
function getFlowOutcome(exchanges: readonly Exchange[]): Outcome {
  const { outcome, response } = exchanges.at(-1)!;
  return outcome === "done" && response?.authorizationResponse?.params.some(([name]) => name === "code")
    ? "pending"
    : outcome;
}
