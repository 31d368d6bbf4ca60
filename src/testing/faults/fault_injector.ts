/** The board of faults: rules that say what goes wrong where and how often, and the layer that sees to it. */

import type { App } from "../../app/endpoint.ts";
import type { Plugin } from "../../app/plugin.ts";
import type { RequestLike, ResponseLike } from "../../http/message.ts";
import type { RequestHandler } from "../../http/router.ts";
import type { Server } from "../../oauth/server.ts";
import { assertEndpointName } from "../../recorder/endpoint_name.ts";
import type { EndpointName } from "../../recorder/endpoint_name.ts";
import type { Fault, FaultContext, RequestView } from "./fault.ts";
import { assertFault } from "./assert_fault.ts";
import { activeRule } from "./rule_builder.ts";
import type { ActiveRule, FaultRule, Match, RuleBuilder } from "./rule_builder.ts";
import { readRequestView } from "./request_view.ts";

/** What a board can be made with. */
export interface FaultInjectorOptions {
  /** Waits that many milliseconds, or until the signal. Default: real time, by `setTimeout`. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Is told the name of each fault at the moment it has a hand in the answer to a request. Default: nobody is. */
  readonly onFault?: (request: RequestLike, fault: string) => void;
}

/** Rules for one server, changeable at any time. */
export interface FaultInjector {
  /**
   * Begins a rule, or throws a TypeError where the endpoint is none: `on("token", { client }).once(faults.error("invalid_grant"))`.
   *
   * All rules that match a request apply to it, the one written first outermost. A fault that answers by itself lets
   * nothing through to those behind it, so that several of them form a queue: each meets a request of its own.
   *
   * @param endpoint `any`: every endpoint where the fault means something.
   * @throws {TypeError} By `once`, `times` and `always`, when that is no fault, or one that means nothing at the endpoint.
   */
  on(endpoint: EndpointName | "any", match?: Match): RuleBuilder;
  /**
   * One sentence for each rule that has fired less often than was written, and why: `once` and `times` must have fired
   * as often as they say, `always` at least once. Empty when everything went wrong as it should.
   */
  unmetRules(): readonly string[];
  /** Takes all rules off and ends whatever waits because of one. */
  clear(): void;
  /** Makes a server meet the faults: for the `layers` of one server. */
  readonly plugin: Plugin;
}

/** A rule in the exchange that it applies to. */
interface RuleMatch {
  readonly rule: ActiveRule;
  readonly context: FaultContext;
}

/** As many authorization requests are remembered until somebody has logged in. */
const maxRememberedRequests = 1000;

/** Makes a board without rules. */
export function faultInjector(
  { wait = waitMilliseconds, onFault = () => {} }: FaultInjectorOptions = {},
): FaultInjector {
  let rules: readonly ActiveRule[] = [];
  let abortController = new AbortController();
  let app: App | undefined;
  const matchesByRequest = new WeakMap<RequestLike, readonly RuleMatch[]>();
  const authorizationRequests = new Map<string, RequestView>();

  function addRule(rule: ActiveRule): FaultRule {
    if (app !== undefined) rule.fault.onRuleAdded?.(app);
    rules = [...rules, rule];
    return {
      get fired() {
        return rule.fired;
      },
      remove: () => void (rules = rules.filter((other) => other !== rule)),
    };
  }

  function ruleBuilder(endpoint: EndpointName | "any", match: Match | undefined, name?: string): RuleBuilder {
    const add = (verb: string, count: number, fault: Fault) => {
      assertFault(verb, fault);
      return addRule(activeRule({ endpoint, match, name, count, fault }));
    };
    return {
      named: (text) => ruleBuilder(endpoint, match, text),
      once: (fault) => add("once", 1, fault),
      times(count, fault) {
        if (Number.isInteger(count) && count >= 1) return add("times", count, fault);
        throw new RangeError(`times: expected a whole number from 1 on, found ${count}`);
      },
      always: (fault) => add("always", Infinity, fault),
    };
  }

  /** A firing is used up once in an exchange, however often its fault asks. */
  function matchRule(rule: ActiveRule, request: RequestLike, view: RequestView): RuleMatch {
    const { signal } = abortController;
    let consumed = false;
    const context: FaultContext = {
      request: view,
      app: app!,
      signal,
      wait: (milliseconds) => wait(milliseconds, signal),
      consume() {
        if (consumed) return true;
        if (!rule.fire()) return false;
        onFault(request, rule.fault.name);
        return consumed = true;
      },
    };
    return { rule, context };
  }

  /** The fault's own handle, entered when a request reaches it and the rule has a firing left. */
  function wrapHandler(next: RequestHandler, { rule: { fault }, context }: RuleMatch): RequestHandler {
    const faultyHandler = fault.handle?.(next, context);
    if (faultyHandler === undefined) return next;
    return (request, peer) =>
      fault.waitsFor !== undefined || context.consume() ? faultyHandler(request, peer) : next(request, peer);
  }

  /** Remembers which authorization request a login goes on with. */
  function rememberRequest(view: RequestView, response: ResponseLike): void {
    const interaction = findInteractionId(response);
    if (interaction === undefined) return;
    authorizationRequests.set(interaction, view);
    if (authorizationRequests.size > maxRememberedRequests) {
      authorizationRequests.delete(authorizationRequests.keys().next().value!);
    }
  }

  return {
    on(endpoint, match) {
      assertEndpointName(endpoint, "any");
      return ruleBuilder(endpoint, match);
    },
    unmetRules: () => rules.flatMap((rule) => rule.unmetReason() ?? []),
    clear() {
      rules = [];
      authorizationRequests.clear();
      abortController.abort();
      abortController = new AbortController();
    },
    plugin: {
      handle: (next) => async (request, peer) => {
        const hasActiveRules = rules.some(({ isActive }) => isActive);
        // An authorization request is looked at anyway: rules about the login it leads to may be written while it waits.
        if (app === undefined || !(hasActiveRules || isAuthorizationRequest(request))) return await next(request, peer);
        const view = await readRequestView(
          app,
          request,
          (interaction) => authorizationRequests.get(getInteractionId(interaction)),
        );
        const matches = rules.filter((rule) => rule.isActive && rule.matches(view)).map((rule) =>
          matchRule(rule, request, view)
        );
        matchesByRequest.set(request, matches);
        const response = await matches.reduceRight(wrapHandler, next)(request, peer);
        if (view.endpoint === "authorize") rememberRequest(view, response);
        return response;
      },
      extend(server, request) {
        return (matchesByRequest.get(request) ?? []).reduceRight((inner: Server, { rule: { fault }, context }) => {
          if (fault.extend === undefined || (fault.waitsFor === undefined && !context.consume())) return inner;
          return fault.extend(inner, context);
        }, server);
      },
      setup: (openedApp) => void (app = openedApp),
      close: () => abortController.abort(),
    },
  };
}

/** Whether it is an authorization request, or at least looks like one. */
function isAuthorizationRequest({ url }: RequestLike): boolean {
  return url.includes("/oauth2/authorize");
}

/** The name of the interaction that an answer of the authorization endpoint leads to, where somebody has to be asked. */
function findInteractionId({ headers }: ResponseLike): string | undefined {
  const location = headers instanceof Headers ? headers.get("location") : headers.location;
  const interaction = /[?&]interaction=([\w.-]+)/.exec(location ?? "")?.[1];
  return interaction && getInteractionId(interaction);
}

/** It is the same in every browser that continues the request. */
function getInteractionId(interaction: string): string {
  return interaction.split(".", 1)[0]!;
}

function waitMilliseconds(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, milliseconds);
    signal.addEventListener("abort", finish);
  });
}
