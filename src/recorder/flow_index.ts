/** The flow index: a bounded number of exchanges, grouped into flows by the values that they share. */

import type { ParameterDescription } from "../oauth/parameter.ts";
import {
  type ExchangeDraft,
  findFlowClient,
  type FlowGroup,
  getResponse,
  searchForClient,
  toExchange,
} from "./exchange_draft.ts";
import type { Exchange, Flow, Outcome } from "./exchange.ts";
import { parseJsonMembers } from "./record_response.ts";
import { decodeFormValue, findBearerToken, isCompleteForm } from "./record_request.ts";

/** Maximum length of a linking value, in characters. The server issues no value longer than this. */
const maxLinkChars = 16 * 1024;

/**
 * Creates an empty index for at most `limit` exchanges of at most `maxBytes` together, or for one larger exchange. It
 * evicts the least recently used flows.
 */
export function flowIndex(limit: number, maxBytes: number) {
  const drafts = new Map<number, ExchangeDraft>();
  /** The groups, least recently used first. */
  const groups = new Set<FlowGroup>();
  const flows = new Map<string, FlowGroup>();
  /** The newest exchange with each linking value, so that a value stays linked while its flow is in use. */
  const links = new Map<string, ExchangeDraft>();
  let flowCount = 0;
  let bytes = 0;

  const isOverfull = () => drafts.size > limit || bytes > maxBytes && drafts.size > 1;

  function addLink(draft: ExchangeDraft, value: unknown): void {
    if (typeof value !== "string" || value === "" || value.length > maxLinkChars || !draft.group) return;
    links.set(value, draft);
    draft.links.push(value);
  }

  function evict(draft: ExchangeDraft): void {
    drafts.delete(draft.number);
    bytes -= draft.bytes;
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
      if (!isOverfull()) return;
      if (oldest !== group) removeGroup(oldest);
    }
    // This flow alone exceeds the limit.
    if (isOverfull()) findFlowClient(group);
    while (isOverfull()) evict(group.drafts.shift()!);
  }

  /** The group that an experiment belongs to, whatever its request contains. */
  function experimentGroup({ experimentOf }: ExchangeDraft): FlowGroup | undefined {
    return experimentOf === undefined ? undefined : drafts.get(experimentOf)?.group;
  }

  function move(draft: ExchangeDraft, group: FlowGroup): void {
    const previous = draft.group!;
    previous.drafts.splice(previous.drafts.indexOf(draft), 1);
    if (previous.drafts.length === 0) groups.delete(previous);
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
      const group: FlowGroup = { drafts: [draft], unsearched: [draft] };
      draft.group = group;
      drafts.set(draft.number, draft);
      bytes += draft.bytes;
      // Evicts nothing yet, because the exchange may belong to the flow that would be evicted.
      groups.add(group);
    },

    /** Counts further bytes of an exchange. Evicts nothing yet either. */
    grow(draft: ExchangeDraft, added: number): void {
      draft.bytes += added;
      if (draft.group !== undefined) bytes += added;
    },

    /** Assigns an exchange to its flow, after its request is recorded. Idempotent. */
    assign(draft: ExchangeDraft): void {
      if (draft.group === undefined || draft.group.flow !== undefined) return;
      const { endpoint } = draft;
      const values = findLinkingValues(draft);
      const existing = [experimentGroup(draft), ...values.map((value) => links.get(value)?.group)]
        .find((group) => group?.flow !== undefined);
      if (existing !== undefined) {
        const shared = values.filter((value) => links.get(value)?.group === existing);
        move(draft, existing);
        for (const value of shared) addLink(draft, value);
        return;
      }
      // A request to an unknown path is the step of a client with a wrong URL.
      if ((endpoint === undefined || endpoint.role === "step") && draft.head.method !== "HEAD") {
        draft.group.flow = String(++flowCount);
        draft.snapshot = undefined;
        flows.set(draft.group.flow, draft.group);
      }
      touch(draft.group);
    },

    /** Indexes the linking values of a response, whose size is known now. */
    indexResponse(draft: ExchangeDraft): void {
      if (draft.group !== undefined && isOverfull()) touch(draft.group);
      if (draft.reply === undefined || draft.group?.flow === undefined) return;
      const linking = linkingNames(draft.endpoint?.responseParameters);
      const { names } = linking;
      if (names.size === 0) return;
      const { headers: { location }, form } = draft.reply;
      const isFormOrSigned = form !== undefined || location?.includes("response=");
      const sent = isFormOrSigned ? getResponse(draft)!.authorizationResponse?.params : undefined;
      const params = sent ?? (location === undefined ? [] : findInUri(location, linking));
      for (const [name, value] of params) if (names.has(name)) addLink(draft, value);
      const members = parseJsonMembers({ ...draft.reply, body: draft.replyBody?.text ?? draft.reply.body ?? "" });
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

/** The parameters of a list that link flows. */
interface LinkingNames {
  readonly names: ReadonlySet<string>;
  /** Finds each of them in a form or query whose names are not encoded. Parsing all parameters would take several times as long. */
  readonly pattern: RegExp;
}

const noParameters: readonly ParameterDescription[] = [];

const linkingNamesOf = new WeakMap<readonly ParameterDescription[], LinkingNames>();

function linkingNames(list = noParameters): LinkingNames {
  let linking = linkingNamesOf.get(list);
  if (linking === undefined) {
    const names = list.flatMap(({ name, linksFlow }) => linksFlow ? [name] : []);
    const alternatives = names.map((name) => name.replace(/\W/g, "\\$&")).join("|");
    linking = { names: new Set(names), pattern: new RegExp(`(?:^|&)(${alternatives})=([^&]+)`, "g") };
    linkingNamesOf.set(list, linking);
  }
  return linking;
}

/** The values of a request that an earlier response may have sent: its access token, and the first value of each name. */
function findLinkingValues({ endpoint, head, body }: ExchangeDraft): readonly string[] {
  const linking = linkingNames(endpoint?.parameters);
  const bearer = endpoint?.caller === "resource client" ? findBearerToken(head) : undefined;
  const found = new Map<string, string>();
  findEncoded(head.query, linking, found);
  if (body !== undefined && isCompleteForm(head, body)) findEncoded(body.text, linking, found);
  const values = bearer === undefined ? [] : [bearer];
  if (found.size === 0) return values;
  for (const name of linking.names) {
    const value = found.get(name);
    if (value !== undefined) values.push(value);
  }
  return values;
}

/** Whether a name of an encoded form or query contains an escape. */
const encodedName = /(?:^|&)[^=&]*%/;

/** Finds the first value of each name in an encoded form or query. */
function findEncoded(text: string, { names, pattern }: LinkingNames, found = new Map<string, string>()) {
  if (names.size === 0) return found;
  const pairs = encodedName.test(text) ? text.matchAll(/(?:^|&)([^=&]+)=([^&]+)/g) : text.matchAll(pattern);
  for (const [, encoded, value] of pairs) {
    const name = decodeFormValue(encoded!);
    if (names.has(name) && !found.has(name)) found.set(name, decodeFormValue(value!));
  }
  return found;
}

/** Finds the first value of each name in the query of a URI, then in its fragment. */
function findInUri(uri: string, linking: LinkingNames): ReadonlyMap<string, string> {
  const [, query = "", fragment = ""] = /^[^?#]*(?:\?([^#]*))?(?:#([^]*))?$/.exec(uri)!;
  return findEncoded(fragment, linking, findEncoded(query, linking));
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
    outcome: getFlowOutcome(exchanges.findLast(({ experimentOf }) => experimentOf === undefined) ?? exchanges.at(-1)!),
    exchanges,
  };
}

function getFlowOutcome({ outcome, response }: Exchange): Outcome {
  return outcome === "done" && response?.authorizationResponse?.params.some(([name]) => name === "code")
    ? "pending"
    : outcome;
}
