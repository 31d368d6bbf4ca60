/** The board of faults: rules that say what goes wrong where and how often, and the layer that sees to it. */

import type { Desk } from "../../app/endpoint.ts";
import type { Layer } from "../../app/plugin.ts";
import type { Answer, Incoming } from "../../http/message.ts";
import type { Handle } from "../../http/router.ts";
import type { Server } from "../../oauth/server.ts";
import { requireEndpointName } from "../../recorder/endpoint_name.ts";
import type { EndpointName } from "../../recorder/endpoint_name.ts";
import type { Fault, FaultContext, SeenRequest } from "./fault.ts";
import { requireFault } from "./assert_fault.ts";
import { boardRule } from "./rule_builder.ts";
import type { BoardRule, Clause, Match, Rule } from "./rule_builder.ts";
import { see } from "./request_view.ts";

/** What a board can be made with. */
export interface FaultBoardOptions {
  /** Waits that many milliseconds, or until the signal. Default: real time, by `setTimeout`. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Is told the name of each fault at the moment it has a hand in the answer to a request. Default: nobody is. */
  readonly blame?: (request: Incoming, fault: string) => void;
}

/** Rules for one server, changeable at any time. */
export interface FaultBoard {
  /**
   * Begins a rule, or throws a TypeError where the endpoint is none: `on("token", { client }).once(faults.error("invalid_grant"))`.
   *
   * All rules that match a request apply to it, the one written first outermost. A fault that answers by itself lets
   * nothing through to those behind it, so that several of them form a queue: each meets a request of its own.
   *
   * @param endpoint `any`: every endpoint where the fault means something.
   * @throws {TypeError} By `once`, `times` and `always`, when that is no fault, or one that means nothing at the endpoint.
   */
  on(endpoint: EndpointName | "any", match?: Match): Clause;
  /**
   * One sentence for each rule that has fired less often than was written, and why: `once` and `times` must have fired
   * as often as they say, `always` at least once. Empty when everything went wrong as it should.
   */
  unfired(): readonly string[];
  /** Takes all rules off and ends whatever waits because of one. */
  clear(): void;
  /** Makes a server meet the faults: for the `layers` of one server. */
  readonly layer: Layer;
}

/** A rule in the exchange that it applies to. */
interface Hit {
  readonly rule: BoardRule;
  readonly at: FaultContext;
}

/** As many authorization requests are remembered until somebody has logged in. */
const rememberedRequests = 1000;

/** Makes a board without rules. */
export function faultBoard({ wait = waitFor, blame = () => {} }: FaultBoardOptions = {}): FaultBoard {
  let rules: readonly BoardRule[] = [];
  let stopping = new AbortController();
  let desk: Desk | undefined;
  const hitsOf = new WeakMap<Incoming, readonly Hit[]>();
  const begun = new Map<string, SeenRequest>();

  function write(rule: BoardRule): Rule {
    if (desk !== undefined) rule.fault.begin?.(desk);
    rules = [...rules, rule];
    return {
      get fired() {
        return rule.fired;
      },
      remove: () => void (rules = rules.filter((other) => other !== rule)),
    };
  }

  function clause(endpoint: EndpointName | "any", match: Match | undefined, name?: string): Clause {
    const make = (verb: string, count: number, fault: Fault) => {
      requireFault(verb, fault);
      return write(boardRule({ endpoint, match, name, count, fault }));
    };
    return {
      named: (text) => clause(endpoint, match, text),
      once: (fault) => make("once", 1, fault),
      times(count, fault) {
        if (Number.isInteger(count) && count >= 1) return make("times", count, fault);
        throw new RangeError(`times: expected a whole number from 1 on, found ${count}`);
      },
      always: (fault) => make("always", Infinity, fault),
    };
  }

  /** A firing is used up once in an exchange, however often its fault asks. */
  function hit(rule: BoardRule, request: Incoming, seen: SeenRequest): Hit {
    const { signal: stop } = stopping;
    let taken = false;
    const at: FaultContext = {
      seen,
      desk: desk!,
      stop,
      wait: (milliseconds) => wait(milliseconds, stop),
      take() {
        if (taken) return true;
        if (!rule.fire()) return false;
        blame(request, rule.fault.name);
        return taken = true;
      },
    };
    return { rule, at };
  }

  /** The fault's own handle, entered when a request reaches it and the rule has a firing left. */
  function around(next: Handle, { rule: { fault }, at }: Hit): Handle {
    const spoiled = fault.handle?.(next, at);
    if (spoiled === undefined) return next;
    return (request, peer) => fault.needs !== undefined || at.take() ? spoiled(request, peer) : next(request, peer);
  }

  /** Remembers which authorization request a login goes on with. */
  function remember(seen: SeenRequest, answer: Answer): void {
    const interaction = interactionIn(answer);
    if (interaction === undefined) return;
    begun.set(interaction, seen);
    if (begun.size > rememberedRequests) begun.delete(begun.keys().next().value!);
  }

  return {
    on(endpoint, match) {
      requireEndpointName(endpoint, "any");
      return clause(endpoint, match);
    },
    unfired: () => rules.flatMap((rule) => rule.complaint() ?? []),
    clear() {
      rules = [];
      begun.clear();
      stopping.abort();
      stopping = new AbortController();
    },
    layer: {
      around: (next) => async (request, peer) => {
        const isBusy = rules.some(({ isLive }) => isLive);
        // An authorization request is looked at anyway: rules about the login it leads to may be written while it waits.
        if (desk === undefined || !(isBusy || beginsLogin(request))) return await next(request, peer);
        const seen = await see(desk, request, (interaction) => begun.get(nameOf(interaction)));
        const hits = rules.filter((rule) => rule.isLive && rule.concerns(seen)).map((rule) => hit(rule, request, seen));
        hitsOf.set(request, hits);
        const answer = await hits.reduceRight(around, next)(request, peer);
        if (seen.endpoint === "authorize") remember(seen, answer);
        return answer;
      },
      during(server, request) {
        return (hitsOf.get(request) ?? []).reduceRight((inner: Server, { rule: { fault }, at }) => {
          if (fault.server === undefined || (fault.needs === undefined && !at.take())) return inner;
          return fault.server(inner, at);
        }, server);
      },
      open: (opened) => void (desk = opened),
      close: () => stopping.abort(),
    },
  };
}

/** Whether it is an authorization request, or at least looks like one. */
function beginsLogin({ url }: Incoming): boolean {
  return url.includes("/oauth2/authorize");
}

/** The name of the interaction that an answer of the authorization endpoint leads to, where somebody has to be asked. */
function interactionIn({ headers }: Answer): string | undefined {
  const location = headers instanceof Headers ? headers.get("location") : headers.location;
  const interaction = /[?&]interaction=([\w.-]+)/.exec(location ?? "")?.[1];
  return interaction && nameOf(interaction);
}

/** It is the same in every browser that continues the request. */
function nameOf(interaction: string): string {
  return interaction.split(".", 1)[0]!;
}

function waitFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
  });
}
