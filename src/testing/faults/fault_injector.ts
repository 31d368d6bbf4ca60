/** The fault injector: the fault rules of one server, and the plugin that applies them. */

import type { App } from "../../server/app.ts";
import type { Plugin } from "../../server/hosting/options.ts";
import type { HostedServer } from "../../server/hosted_server.ts";
import { findForRequest, type HttpRequest, type HttpResponse } from "../../core/http/message.ts";
import { getHeader } from "../../platform/http/response.ts";
import { type ClientAddress, parseTarget, type RequestHandler } from "../../core/http/router.ts";
import { assertEndpointName } from "../assert_endpoint_name.ts";
import type { Fault, FaultContext, RequestView } from "./fault.ts";
import { assertOptions } from "../options.ts";
import type { FaultFactory } from "./definition.ts";
import { activeRule, patternField } from "./rule_builder.ts";
import type { ActiveRule, FaultRule, Match, RuleBuilder } from "./rule_builder.ts";
import { isAuthorizationEndpoint, readRequestView } from "./request_view.ts";

export interface FaultInjectorOptions {
  /** Waits that many milliseconds, or until the signal is aborted. Default: `setTimeout`. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** @internal The fault rules of one server, which can change at any time. */
export interface FaultInjector {
  /**
   * Starts a rule: `on("token", { client }).once(faults.error("invalid_grant"))`.
   *
   * Every rule that matches a request applies to it; the rule that was added first is the outermost. If a fault
   * responds instead of the server, no later rule applies to that request, so several such faults with `once` apply to
   * one request each, in their order.
   *
   * @param endpoint `any`: every endpoint where the fault has an effect, except the pages for developers.
   * @throws {TypeError} If no endpoint has the name. `once`, `times` and `always` throw one for a value that is not a
   *   fault, and for a fault without effect at the endpoint.
   */
  on(endpoint: string, match?: Match): RuleBuilder;
  /**
   * One sentence for each rule that fired less often than expected, with the reason: `once` and `times` must fire
   * exactly that often, `always` at least once.
   */
  unmetRules(): readonly string[];
  /** Removes all rules and ends every fault that waits. */
  clear(): void;
  /** Applies the rules; for the `plugins` of one server. */
  readonly plugin: Plugin;
}

/** A rule that matches an exchange, with the context of that exchange. */
interface RuleMatch {
  readonly rule: ActiveRule;
  readonly context: FaultContext;
}

/** The maximum number of authorization requests that are remembered until the user has logged in. */
const maxRememberedRequests = 1000;

/** Creates a fault injector without rules. */
export function faultInjector({ wait = waitMilliseconds }: FaultInjectorOptions = {}): FaultInjector {
  let rules: readonly ActiveRule[] = [];
  let app: App | undefined;
  const matchesByRequest = new WeakMap<HttpRequest, readonly RuleMatch[]>();
  const authorizationRequests = new Map<string, RequestView>();

  function addRule(rule: ActiveRule): FaultRule {
    if (app !== undefined) rule.fault.onRuleAdded?.(app);
    rules = [...rules, rule];
    return {
      get fired() {
        return rule.fired;
      },
      get finished() {
        return !rule.isActive;
      },
      remove() {
        rules = rules.filter((other) => other !== rule);
        rule.stop();
      },
    };
  }

  const now = () => app!.server.now();

  function ruleBuilder(endpoint: string, match?: Match, name?: string, seconds = Infinity): RuleBuilder {
    const add = (verb: string, count: number, fault: Fault) => {
      assertFault(verb, fault);
      return addRule(activeRule({ endpoint, match, name, seconds, now, count, fault }));
    };
    return {
      named: (text) => ruleBuilder(endpoint, match, text, seconds),
      for(limit) {
        if (Number.isFinite(limit) && limit > 0) return ruleBuilder(endpoint, match, name, limit);
        throw new RangeError(`for: expected a number of seconds above 0, received ${limit}`);
      },
      once: (fault) => add("once", 1, fault),
      times(count, fault) {
        if (Number.isInteger(count) && count >= 1) return add("times", count, fault);
        throw new RangeError(`times: expected a whole number of at least 1, received ${count}`);
      },
      always: (fault) => add("always", Infinity, fault),
    };
  }

  /** Ends every fault that waits. */
  function stop(): void {
    for (const rule of rules) rule.stop();
  }

  /** Creates the context in which a rule uses up at most one firing per exchange. */
  function matchRule(rule: ActiveRule, request: HttpRequest, view: RequestView): RuleMatch {
    const { signal } = rule;
    let consumed = false;
    const context: FaultContext = {
      request: view,
      app: app!,
      signal,
      wait: (milliseconds) => wait(milliseconds, signal),
      consume() {
        if (consumed) return true;
        if (!rule.fire()) return false;
        const { server, traceFor } = app!;
        const { client, path: endpoint } = view;
        traceFor(request, { type: "fault_applied", at: server.now(), endpoint, client, fault: rule.fault.name });
        return consumed = true;
      },
    };
    return { rule, context };
  }

  /** Wraps a handler with the fault, which applies if the rule has a firing left when the request arrives. */
  function wrapHandler(next: RequestHandler, { rule: { fault }, context }: RuleMatch): RequestHandler {
    const faultyHandler = fault.handle?.(next, context);
    if (faultyHandler === undefined) return next;
    return (request, peer) =>
      fault.waitsFor !== undefined || context.consume() ? faultyHandler(request, peer) : next(request, peer);
  }

  const readView = (app: App, request: HttpRequest): Promise<RequestView> =>
    readRequestView(app, request, (interaction) => authorizationRequests.get(getInteractionId(interaction)));

  /** Wraps a handler with the faults of all rules that match the request. */
  function applyRules(view: RequestView, next: RequestHandler, request: HttpRequest): RequestHandler {
    const matches = rules.filter((rule) => rule.isActive && rule.matches(view)).map((rule) =>
      matchRule(rule, request, view)
    );
    matchesByRequest.set(request, matches);
    return matches.reduceRight(wrapHandler, next);
  }

  async function handleWithRules(
    app: App,
    next: RequestHandler,
    request: HttpRequest,
    peer: ClientAddress | undefined,
  ): Promise<HttpResponse | Response> {
    return await applyRules(await readView(app, request), next, request)(request, peer);
  }

  /** Handles a request that may begin a login. A rule about the login may be added while the user is on its page. */
  async function handleLogin(
    app: App,
    hasRule: boolean,
    next: RequestHandler,
    request: HttpRequest,
    peer: ClientAddress | undefined,
  ): Promise<HttpResponse | Response> {
    const view = hasRule || request.method === "POST" ? await readView(app, request) : undefined;
    const response = await (view === undefined ? next : applyRules(view, next, request))(request, peer);
    const interaction = findInteractionId(response);
    if (interaction !== undefined) rememberRequest(interaction, view ?? await readView(app, request));
    return response;
  }

  /** Remembers the authorization request of an interaction, for rules about the login that follows. */
  function rememberRequest(interaction: string, view: RequestView): void {
    authorizationRequests.set(interaction, view);
    if (authorizationRequests.size > maxRememberedRequests) {
      authorizationRequests.delete(authorizationRequests.keys().next().value!);
    }
  }

  return {
    on(endpoint, match) {
      if (app !== undefined) assertEndpointName(app.endpoints, endpoint, "any");
      if (match !== undefined && typeof match !== "function") assertOptions(`on("${endpoint}")`, patternField, match);
      return ruleBuilder(endpoint, match);
    },
    unmetRules: () => rules.flatMap((rule) => rule.unmetReason() ?? []),
    clear() {
      stop();
      rules = [];
      authorizationRequests.clear();
    },
    plugin: {
      name: "faults",
      handle: (next) => (request, peer) => {
        const endpoint = app?.findEndpoint(parseTarget(request.url, {}).path);
        const hasRule = rules.some(({ isActive }) => isActive);
        // No rule may stop a test or a user from removing it.
        if (app === undefined || endpoint?.role === "control") return next(request, peer);
        if (isAuthorizationEndpoint(endpoint)) return handleLogin(app, hasRule, next, request, peer);
        return hasRule ? handleWithRules(app, next, request, peer) : next(request, peer);
      },
      forRequest(server, { request }) {
        let members: Partial<HostedServer> | undefined;
        for (const { rule: { fault }, context } of (findForRequest(matchesByRequest, request) ?? []).toReversed()) {
          if (fault.extend === undefined || (fault.waitsFor === undefined && !context.consume())) continue;
          members = { ...members, ...fault.extend({ ...server, ...members }, context) as HostedServer };
        }
        return members;
      },
      setup: (openedApp) => void (app = openedApp),
      close: stop,
    },
  };
}

/** The id of the interaction that a response of the authorization endpoint redirects to; `undefined` without one. */
function findInteractionId(response: HttpResponse | Response): string | undefined {
  const location = getHeader(response, "location");
  // Most responses lead to a client, and the pattern would search the whole URL.
  if (location === undefined || !location.includes("interaction=")) return undefined;
  const interaction = /[?&]interaction=([\w.-]+)/.exec(location)?.[1];
  return interaction && getInteractionId(interaction);
}

/** The part of the parameter that is the same in every browser that continues the request. */
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

/**
 * Rejects a value from JavaScript that is not a fault.
 *
 * @param verb The function that received it: `once`.
 * @throws {TypeError}
 */
function assertFault(verb: string, value: unknown): asserts value is Fault {
  if (typeof value === "object" && value !== null && "name" in value && typeof value.name === "string") return;
  throw new TypeError(`${verb}: expected a fault, such as faults.drop(), received ${describeValue(value)}`);
}

function describeValue(value: unknown): string {
  if (typeof value === "function") {
    const { definition } = value as Partial<FaultFactory<() => Fault>>;
    const name = definition === undefined ? value.name : `faults.${definition.id}`;
    return name === "" ? "a function: call it" : `the function ${name}: call it, ${name}()`;
  }
  if (typeof value === "object" && value !== null) return "an object without a name: add the member name";
  if (typeof value !== "string") return String(value);
  return `${JSON.stringify(value)}: write fault(${JSON.stringify(value)}), with fault of @latchkey/latchkey/check`;
}
