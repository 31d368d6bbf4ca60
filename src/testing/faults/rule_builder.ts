/** A rule: which requests a fault is for, how often it fires, and the sentence that says when it did not. */

import type { EndpointName } from "../../recorder/endpoint_name.ts";
import type { Fault, RequestView } from "./fault.ts";

/** What a request must be besides a request to the endpoint; everything that is given must hold. */
export interface RequestPattern {
  /** The client it names or claims to come from: its id, or its credentials. */
  readonly client?: string | { readonly client_id: string };
  /** The value of `grant_type`. */
  readonly grant_type?: string;
  /** In capitals. */
  readonly method?: string;
  /** Values of parameters; `undefined` asks for a parameter not to be there. */
  readonly params?: Readonly<Record<string, string | RegExp | undefined>>;
}

/** Which requests a rule is for: a pattern, or a function that says so. */
export type Match = RequestPattern | ((request: RequestView) => boolean);

/** A rule that was written. */
export interface FaultRule {
  /** How often it has fired. */
  readonly fired: number;
  /** Takes it off the board; it is not reported either. */
  remove(): void;
}

/** What follows `on(…)`. */
export interface RuleBuilder {
  /** Gives the rule a name that reports show in place of its match. */
  named(name: string): RuleBuilder;
  /** The next matching request meets the fault. */
  once(fault: Fault): FaultRule;
  /**
   * The next `count` matching requests meet the fault, and those after them do not: "fail twice, then work".
   *
   * @throws {RangeError} When `count` is not a whole number from 1 on.
   */
  times(count: number, fault: Fault): FaultRule;
  /** Every matching request meets the fault. */
  always(fault: Fault): FaultRule;
}

/** A rule as the board keeps it. */
export interface ActiveRule {
  readonly fault: Fault;
  readonly fired: number;
  /** Whether it still has a firing left. */
  readonly isActive: boolean;
  /** Whether it concerns the request; counts what it saw, for {@link ActiveRule.unmetReason}. */
  matches(request: RequestView): boolean;
  /** Uses one firing up; false when there is none left. */
  fire(): boolean;
  /** One sentence when it has not fired as often as was written, and why. */
  unmetReason(): string | undefined;
}

/** What makes a rule. */
interface RuleOptions {
  readonly endpoint: EndpointName | "any";
  readonly match: Match | undefined;
  readonly name: string | undefined;
  /** `Infinity`: always. */
  readonly count: number;
  readonly fault: Fault;
}

/** Makes a rule of its parts. */
export function activeRule({ endpoint, match, name, count, fault }: RuleOptions): ActiveRule {
  assertEndpoint(endpoint, fault);
  let requestCount = 0;
  let matchCount = 0;
  let fired = 0;
  const description = describeRule(endpoint, match, name, count, fault);

  const appliesTo = (request: RequestView): boolean => {
    if (fault.endpoints?.includes(request.endpoint) === false) return false;
    return endpoint === "any" || endpoint === request.endpoint ||
      (endpoint === "authorize" && followsRequest(fault, request));
  };

  return {
    fault,
    get fired() {
      return fired;
    },
    get isActive() {
      return fired < count;
    },
    matches(request) {
      // A browser's question whether it may ask is not the request that the rule waits for.
      if (request.method === "OPTIONS" && (typeof match === "function" || match?.method !== "OPTIONS")) return false;
      if (!appliesTo(request)) return false;
      requestCount++;
      const target = endpoint === "authorize" ? request.authorizationRequest ?? request : request;
      if (match !== undefined && !matchesRequest(match, target)) return false;
      matchCount++;
      return true;
    },
    fire() {
      if (fired >= count) return false;
      fired++;
      return true;
    },
    unmetReason() {
      if (fired >= (count === Infinity ? 1 : count)) return undefined;
      if (fired > 0) return `${description} fired ${fired} of ${count} times.`;
      const where = endpoint === "any" ? "" : ` to ${endpoint}`;
      const why = requestCount === 0
        ? `no request${where} came`
        : matchCount === 0
        ? `of ${formatRequestCount(requestCount)}${where} none matched`
        : fault.waitsFor === undefined
        ? `${formatRequestCount(matchCount)} matched, but none came as far as this rule`
        : `${formatRequestCount(matchCount)} matched, but none ${fault.waitsFor}`;
      return `${description} never fired: ${why}.`;
    },
  };
}

function assertEndpoint(endpoint: EndpointName | "any", { name, endpoints }: Fault): void {
  if (endpoint === "any" || endpoints === undefined || endpoints.includes(endpoint)) return;
  const names = endpoints.map((allowed) => `on("${allowed}")`).join(" or ");
  throw new TypeError(`The fault "${name}" means nothing at ${endpoint}: write ${names}.`);
}

function followsRequest({ followsLogin = false }: Fault, { endpoint }: RequestView): boolean {
  return followsLogin && (endpoint === "login" || endpoint === "consent");
}

function matchesRequest(match: Match, request: RequestView): boolean {
  return typeof match === "function" ? match(request) : matchesPattern(match, request);
}

/** Whether a request is as a pattern wants it. */
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

/** The id of a client that is given by its id, or by its credentials. */
export function getClientId(client: NonNullable<RequestPattern["client"]>): string {
  return typeof client === "string" ? client : client.client_id;
}

function describeRule(
  endpoint: EndpointName | "any",
  match: Match | undefined,
  name: string | undefined,
  count: number,
  fault: Fault,
): string {
  const invocation = count === Infinity ? "always(" : count === 1 ? "once(" : `times(${count}, `;
  const rule = `on("${endpoint}"${match === undefined ? "" : `, ${describeMatch(match)}`}).${invocation}${fault.name})`;
  return name === undefined ? rule : `${name} (${rule})`;
}

function describeMatch(match: Match): string {
  if (typeof match === "function") return match.name || "a function";
  const { client, grant_type, method, params = {} } = match;
  const parts = [
    ...client === undefined ? [] : [`client: ${getClientId(client)}`],
    ...grant_type === undefined ? [] : [`grant_type: ${grant_type}`],
    ...method === undefined ? [] : [`method: ${method}`],
    // Values may be secrets, and what was asked for is in the test anyway.
    ...Object.keys(params).length === 0 ? [] : [`params: ${Object.keys(params).join(", ")}`],
  ];
  return `{ ${parts.join(", ")} }`;
}

function formatRequestCount(count: number): string {
  return count === 1 ? "1 request" : `${count} requests`;
}
