/** Fault rules: the requests that a fault applies to, how often it fires, and why it did not fire. */

import { anyOption } from "../options.ts";
import { object, objectField, text } from "../../core/policy/field.ts";
import type { Fault, RequestView } from "./fault.ts";

/** @internal Conditions on a request, besides the endpoint; all of them must be met. */
export interface RequestPattern {
  /** The client that the request names: its id, or its credentials. */
  readonly client?: string | { readonly client_id: string };
  /** The value of `grant_type`. */
  readonly grant_type?: string;
  /** In capitals. */
  readonly method?: string;
  /** Values of parameters; `undefined` matches a request without the parameter. */
  readonly params?: Readonly<Record<string, string | RegExp | undefined>>;
}

/** The description of {@link RequestPattern}. */
export const patternField = object<RequestPattern>(
  "RequestPattern",
  { client: anyOption, grant_type: text(["refresh_token"]), method: text(["POST"]), params: objectField },
  {},
  { expected: "a pattern or a function" },
);

/** @internal The requests that a rule applies to: a pattern or a predicate. */
export type Match = RequestPattern | ((request: RequestView) => boolean);

/** A rule that was added. */
export interface FaultRule {
  /** How often it has fired. */
  readonly fired: number;
  /** Whether it cannot fire again, because its count is used up or its time is over. */
  readonly finished: boolean;
  /** Removes the rule and ends its faults that wait; it is no longer reported. */
  remove(): void;
}

/** @internal The rule builder that `on(…)` returns. */
export interface RuleBuilder {
  /** Names the rule in reports. */
  named(name: string): RuleBuilder;
  /**
   * Limits the time of the rule, by the clock of the server: it ends that many seconds after the first request that it
   * applies to.
   *
   * @throws {RangeError} If `seconds` is not a number above 0.
   */
  for(seconds: number): RuleBuilder;
  /** Applies the fault to the next matching request. */
  once(fault: Fault): FaultRule;
  /**
   * Applies the fault to the next `count` matching requests, and not to later ones: "fail twice, then work".
   *
   * @throws {RangeError} If `count` is not a whole number of at least 1.
   */
  times(count: number, fault: Fault): FaultRule;
  /** Applies the fault to every matching request. */
  always(fault: Fault): FaultRule;
}

/** A rule as the fault injector keeps it. */
export type ActiveRule = ReturnType<typeof activeRule>;

interface RuleOptions {
  readonly endpoint: string;
  readonly match: Match | undefined;
  readonly name: string | undefined;
  /** `Infinity`: no limit. */
  readonly seconds: number;
  /** The clock of the server. */
  readonly now: () => number;
  /** `Infinity`: always. */
  readonly count: number;
  readonly fault: Fault;
}

/** Whether a request is for a page that no client opens. The user reads there what a fault did. */
function isDeveloperPage({ description }: RequestView): boolean {
  return description?.caller === "browser" && description.errors === "page" && (description.role ?? "page") === "page";
}

/** Creates a rule. @throws {TypeError} If the fault has no effect at the endpoint. */
export function activeRule(rule: RuleOptions) {
  const { endpoint, match, count, fault, seconds, now } = rule;
  assertEndpoint(endpoint, fault);
  let requestCount = 0;
  let matchCount = 0;
  let fired = 0;
  let firstFiredAt: number | undefined;
  const description = describeRule(rule);
  const abortController = new AbortController();

  const isActive = () => fired < count && (firstFiredAt === undefined || now() < firstFiredAt + seconds * 1000);

  const appliesTo = (request: RequestView): boolean => {
    if (fault.endpoints?.includes(request.endpoint) === false) return false;
    return endpoint === "any" && !isDeveloperPage(request) || endpoint === request.endpoint ||
      (request.authorizationRequest?.endpoint === endpoint && fault.followsLogin === true);
  };

  return {
    fault,
    /** Aborted when the rule ends. */
    signal: abortController.signal,
    /** Ends every fault of the rule that waits. */
    stop: () => abortController.abort(),
    get fired(): number {
      return fired;
    },
    /** Whether the rule may fire again. */
    get isActive(): boolean {
      return isActive();
    },
    /** Whether the rule matches the request; counts requests, for `unmetReason`. */
    matches(request: RequestView): boolean {
      // A CORS preflight is not the request that the rule is about.
      if (request.method === "OPTIONS" && (typeof match === "function" || match?.method !== "OPTIONS")) return false;
      if (!appliesTo(request)) return false;
      requestCount++;
      const { authorizationRequest } = request;
      const target = authorizationRequest?.endpoint === endpoint ? authorizationRequest : request;
      if (!(typeof match === "function" ? match(target) : matchesPattern(match ?? {}, target))) return false;
      matchCount++;
      return true;
    },
    /** Uses up one firing; false if none is left. */
    fire(): boolean {
      if (!isActive()) return false;
      firstFiredAt ??= now();
      fired++;
      return true;
    },
    /** Why the rule fired less often than expected, one sentence; `undefined` if it fired often enough. */
    unmetReason(): string | undefined {
      if (fired >= (count === Infinity ? 1 : count)) return undefined;
      if (fired > 0) return `${description} fired ${fired} of ${count} times.`;
      const where = endpoint === "any" ? "" : ` to ${endpoint}`;
      const why = requestCount === 0
        ? `no request${where} arrived`
        : matchCount === 0
        ? `${formatRequestCount(requestCount)}${where} arrived, but none matched`
        : fault.waitsFor === undefined
        ? `${formatRequestCount(matchCount)} matched, but none reached this rule`
        : `${formatRequestCount(matchCount)} matched, but none ${fault.waitsFor}`;
      return `${description} never fired: ${why}.`;
    },
  };
}

function assertEndpoint(endpoint: string, { name, endpoints }: Fault): void {
  if (endpoint === "any" || endpoints === undefined || endpoints.includes(endpoint)) return;
  const names = endpoints.map((allowed) => `on("${allowed}")`).join(" or ");
  throw new TypeError(`The fault "${name}" has no effect at ${endpoint}: write ${names}.`);
}

/** Whether a request meets all conditions of a pattern. */
export function matchesPattern(
  { client, grant_type, method, params = {} }: RequestPattern,
  request: Pick<RequestView, "client" | "method" | "params">,
): boolean {
  if (client !== undefined && request.client !== getClientId(client)) return false;
  if (grant_type !== undefined && request.params.grant_type !== grant_type) return false;
  if (method !== undefined && request.method !== method) return false;
  return Object.entries(params).every(([name, expected]) => {
    const value = Object.hasOwn(request.params, name) ? request.params[name] : undefined;
    return expected instanceof RegExp ? value !== undefined && value.search(expected) >= 0 : value === expected;
  });
}

/** The id of a client that is named by its id or by its credentials. */
export function getClientId(client: NonNullable<RequestPattern["client"]>): string {
  return typeof client === "string" ? client : client.client_id;
}

function describeRule({ endpoint, match, name, count, seconds, fault }: RuleOptions): string {
  const limit = seconds === Infinity ? "" : `for(${seconds}).`;
  const invocation = count === Infinity ? "always(" : count === 1 ? "once(" : `times(${count}, `;
  const pattern = match === undefined ? "" : describeMatch(match);
  const rule = `on("${endpoint}"${pattern === "" ? "" : `, ${pattern}`}).${limit}${invocation}${fault.name})`;
  return name === undefined ? rule : `${name} (${rule})`;
}

function describeMatch(match: Match): string {
  if (typeof match === "function") return match.name || "a function";
  const { client, grant_type, method, params = {} } = match;
  const parts = [
    ...client === undefined ? [] : [`client: ${getClientId(client)}`],
    ...grant_type === undefined ? [] : [`grant_type: ${grant_type}`],
    ...method === undefined ? [] : [`method: ${method}`],
    // Values may be secrets; the test contains them anyway.
    ...Object.keys(params).length === 0 ? [] : [`params: ${Object.keys(params).join(", ")}`],
  ];
  return parts.length === 0 ? "" : `{ ${parts.join(", ")} }`;
}

function formatRequestCount(count: number): string {
  return count === 1 ? "1 request" : `${count} requests`;
}
