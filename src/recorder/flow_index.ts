/** The ledger: a bounded number of exchanges, sorted into flows by the values that travel through them. */

import type { EndpointName } from "./endpoint_name.ts";
import { clientOfFlow, exchangeIn } from "./exchange_draft.ts";
import type { Chapter, Entry } from "./exchange_draft.ts";
import type { Exchange, Flow, Outcome } from "./exchange.ts";
import { isPage, membersOf, readLocation } from "./read_response.ts";
import { readPageForms } from "./page_form.ts";
import { bearerOf, paramOf } from "./read_request.ts";

/** Keeps entries, and forgets the oldest flows. */
export interface Ledger {
  /** Takes a new entry in, by itself for the time being. */
  enter(entry: Entry): void;
  /** Puts an entry into its flow, now that the request is known as far as it ever will be. Twice is harmless. */
  settle(entry: Entry): void;
  /** Learns the values that went out with the answer. */
  learn(entry: Entry): void;
  exchanges(): readonly Exchange[];
  flows(): readonly Flow[];
  flow(id: string): Flow | undefined;
  clear(flow?: string): void;
}

/** By which parameters a request shows what it belongs to. An authorization request begins anew whatever it carries. */
const carriers: Readonly<Record<EndpointName, readonly string[]>> = {
  authorize: ["interaction"],
  login: ["interaction"],
  consent: ["interaction"],
  token: ["code", "refresh_token"],
  userinfo: ["access_token"],
  revoke: ["token"],
  introspect: ["token"],
  logout: ["id_token_hint"],
  discovery: [],
  jwks: [],
  page: ["interaction", "code"],
};

/** What belongs to no flow, unless it carries a value of one. */
const aside: readonly EndpointName[] = ["discovery", "jwks", "page"];

/** What a token response holds, by name. */
const issued = ["access_token", "refresh_token", "id_token"];

/** Values longer than this are no links: nothing that this server issues is. */
const longestLink = 16 * 1024;

/** An empty ledger for that many exchanges. */
export function ledger(limit: number): Ledger {
  const entries = new Map<number, Entry>();
  /** The one touched last comes last. */
  const chapters = new Set<Chapter>();
  const flows = new Map<string, Chapter>();
  /** The newest entry that carried a value, so that a flow in use is remembered by what is in use. */
  const links = new Map<string, Entry>();
  let flowsSoFar = 0;

  function link(entry: Entry, value: unknown): void {
    if (typeof value !== "string" || value === "" || value.length > longestLink || !entry.chapter) return;
    links.set(value, entry);
    entry.links.push(value);
  }

  function forget(entry: Entry): void {
    entries.delete(entry.number);
    for (const value of entry.links) if (links.get(value) === entry) links.delete(value);
    entry.chapter = undefined;
    entry.seen = undefined;
  }

  function close(chapter: Chapter): void {
    chapter.entries.forEach(forget);
    chapters.delete(chapter);
    if (chapter.flow !== undefined) flows.delete(chapter.flow);
  }

  function touch(chapter: Chapter): void {
    chapters.delete(chapter);
    chapters.add(chapter);
    for (const oldest of chapters) {
      if (entries.size <= limit) return;
      if (oldest !== chapter) close(oldest);
    }
    // One flow alone is longer than all that may be kept.
    while (entries.size > limit) forget(chapter.entries.shift()!);
  }

  function move(entry: Entry, chapter: Chapter): void {
    const before = entry.chapter!;
    before.entries.splice(before.entries.indexOf(entry), 1);
    if (before.entries.length === 0) chapters.delete(before);
    const after = chapter.entries.findIndex(({ number }) => number > entry.number);
    chapter.entries.splice(after < 0 ? chapter.entries.length : after, 0, entry);
    entry.chapter = chapter;
    entry.seen = undefined;
    touch(chapter);
  }

  return {
    enter(entry) {
      const chapter: Chapter = { entries: [entry] };
      entry.chapter = chapter;
      entries.set(entry.number, entry);
      // Nothing is forgotten for it yet: it may turn out to belong to the very flow that would have to go.
      chapters.add(chapter);
    },

    settle(entry) {
      if (entry.chapter === undefined || entry.chapter.flow !== undefined) return;
      const { request, endpoint } = entry;
      const bearer = endpoint === "userinfo" ? bearerOf(request) : undefined;
      const carried = [bearer, ...carriers[endpoint].map((name) => paramOf(request, name))]
        .filter((value) => value !== undefined);
      const known = carried.map((value) => links.get(value)?.chapter).find((chapter) => chapter?.flow !== undefined);
      if (known !== undefined) {
        const shared = carried.filter((value) => links.get(value)?.chapter === known);
        move(entry, known);
        for (const value of shared) link(entry, value);
        return;
      }
      if (!aside.includes(endpoint) && request.method !== "HEAD") {
        entry.chapter.flow = String(++flowsSoFar);
        entry.seen = undefined;
        flows.set(entry.chapter.flow, entry.chapter);
      }
      touch(entry.chapter);
    },

    learn(entry) {
      const { answer, chapter } = entry;
      if (answer === undefined || chapter?.flow === undefined) return;
      const { location } = answer.headers;
      const sent = answer.handover?.params ?? (location === undefined ? [] : readLocation(location).params);
      for (const [name, value] of sent) if (name === "code" || name === "interaction") link(entry, value);
      if (isPage(answer) && answer.handover === undefined) {
        for (const { fields } of readPageForms(answer.body ?? "")) {
          for (const [name, value] of fields) if (name === "interaction") link(entry, value);
        }
      }
      if (entry.endpoint === "token") {
        const members = membersOf(answer);
        for (const name of issued) link(entry, members[name]);
      }
    },

    exchanges: () => [...entries.values()].map(exchangeIn),
    flows: () => [...flows.values()].map(describe),
    flow(id) {
      const chapter = flows.get(id);
      return chapter && describe(chapter);
    },
    clear(flow) {
      const closing = flow === undefined ? [...chapters] : [flows.get(flow)];
      for (const chapter of closing) if (chapter !== undefined) close(chapter);
    },
  };
}

function describe(chapter: Chapter): Flow {
  const exchanges = chapter.entries.map(exchangeIn);
  const events = exchanges.flatMap((exchange) => exchange.events);
  const bought = events.findLast((event) => event.type === "tokens_issued" || event.type === "code_issued");
  const client = clientOfFlow(chapter);
  return {
    id: chapter.flow!,
    startedAt: exchanges[0]!.at,
    ...client !== undefined && { client },
    ...bought && { sub: bought.sub, family: bought.family },
    outcome: outcomeOf(exchanges.at(-1)!),
    exchanges,
  };
}

function outcomeOf({ outcome, answer }: Exchange): Outcome {
  return outcome === "done" && answer?.handover?.params.some(([name]) => name === "code") ? "under way" : outcome;
}
