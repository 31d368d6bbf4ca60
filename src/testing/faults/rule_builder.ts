/** A rule: which requests a fault is for, how often it fires, and the sentence that says when it did not. */

import type { EndpointName } from "../../recorder/endpoint_name.ts";
import type { Fault, SeenRequest } from "./fault.ts";

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
export type Match = RequestPattern | ((request: SeenRequest) => boolean);

/** A rule that was written. */
export interface Rule {
  /** How often it has fired. */
  readonly fired: number;
  /** Takes it off the board; it is not reported either. */
  remove(): void;
}

/** What follows `on(…)`. */
export interface Clause {
  /** Gives the rule a name that reports show in place of its match. */
  named(name: string): Clause;
  /** The next matching request meets the fault. */
  once(fault: Fault): Rule;
  /**
   * The next `count` matching requests meet the fault, and those after them do not: "fail twice, then work".
   *
   * @throws {RangeError} When `count` is not a whole number from 1 on.
   */
  times(count: number, fault: Fault): Rule;
  /** Every matching request meets the fault. */
  always(fault: Fault): Rule;
}

/** A rule as the board keeps it. */
export interface BoardRule {
  readonly fault: Fault;
  readonly fired: number;
  /** Whether it still has a firing left. */
  readonly isLive: boolean;
  /** Whether it concerns the request; counts what it saw, for {@link BoardRule.complaint}. */
  concerns(request: SeenRequest): boolean;
  /** Uses one firing up; false when there is none left. */
  fire(): boolean;
  /** One sentence when it has not fired as often as was written, and why. */
  complaint(): string | undefined;
}

/** What makes a rule. */
interface RuleParts {
  readonly endpoint: EndpointName | "any";
  readonly match: Match | undefined;
  readonly name: string | undefined;
  /** `Infinity`: always. */
  readonly count: number;
  readonly fault: Fault;
}

/** Makes a rule of its parts. */
export function boardRule({ endpoint, match, name, count, fault }: RuleParts): BoardRule {
  refuseEndpoint(endpoint, fault);
  let came = 0;
  let matched = 0;
  let fired = 0;
  const text = describe(endpoint, match, name, count, fault);

  const isFor = (request: SeenRequest): boolean => {
    if (fault.endpoints?.includes(request.endpoint) === false) return false;
    return endpoint === "any" || endpoint === request.endpoint || (endpoint === "authorize" && follows(fault, request));
  };

  return {
    fault,
    get fired() {
      return fired;
    },
    get isLive() {
      return fired < count;
    },
    concerns(request) {
      // A browser's question whether it may ask is not the request that the rule waits for.
      if (request.method === "OPTIONS" && (typeof match === "function" || match?.method !== "OPTIONS")) return false;
      if (!isFor(request)) return false;
      came++;
      const judged = endpoint === "authorize" ? request.begun ?? request : request;
      if (match !== undefined && !fits(match, judged)) return false;
      matched++;
      return true;
    },
    fire() {
      if (fired >= count) return false;
      fired++;
      return true;
    },
    complaint() {
      if (fired >= (count === Infinity ? 1 : count)) return undefined;
      if (fired > 0) return `${text} fired ${fired} of ${count} times.`;
      const where = endpoint === "any" ? "" : ` to ${endpoint}`;
      const why = came === 0
        ? `no request${where} came`
        : matched === 0
        ? `of ${requests(came)}${where} none matched`
        : fault.needs === undefined
        ? `${requests(matched)} matched, but none came as far as this rule`
        : `${requests(matched)} matched, but none ${fault.needs}`;
      return `${text} never fired: ${why}.`;
    },
  };
}

function refuseEndpoint(endpoint: EndpointName | "any", { name, endpoints }: Fault): void {
  if (endpoint === "any" || endpoints === undefined || endpoints.includes(endpoint)) return;
  const names = endpoints.map((one) => `on("${one}")`).join(" or ");
  throw new TypeError(`The fault "${name}" means nothing at ${endpoint}: write ${names}.`);
}

function follows({ followsLogin = false }: Fault, { endpoint }: SeenRequest): boolean {
  return followsLogin && (endpoint === "login" || endpoint === "consent");
}

function fits(match: Match, request: SeenRequest): boolean {
  return typeof match === "function" ? match(request) : fitsPattern(match, request);
}

/** Whether a request is as a pattern wants it. */
export function fitsPattern(
  { client, grant_type, method, params = {} }: RequestPattern,
  request: Pick<SeenRequest, "client" | "method" | "params">,
): boolean {
  if (client !== undefined && request.client !== idOf(client)) return false;
  if (grant_type !== undefined && request.params.grant_type !== grant_type) return false;
  if (method !== undefined && request.method !== method) return false;
  return Object.entries(params).every(([name, wanted]) => {
    const value = Object.hasOwn(request.params, name) ? request.params[name] : undefined;
    return wanted instanceof RegExp ? value !== undefined && value.search(wanted) >= 0 : value === wanted;
  });
}

/** The id of a client that is given by its id, or by its credentials. */
export function idOf(client: NonNullable<RequestPattern["client"]>): string {
  return typeof client === "string" ? client : client.client_id;
}

function describe(
  endpoint: EndpointName | "any",
  match: Match | undefined,
  name: string | undefined,
  count: number,
  fault: Fault,
): string {
  const how = count === Infinity ? "always(" : count === 1 ? "once(" : `times(${count}, `;
  const rule = `on("${endpoint}"${match === undefined ? "" : `, ${say(match)}`}).${how}${fault.name})`;
  return name === undefined ? rule : `${name} (${rule})`;
}

function say(match: Match): string {
  if (typeof match === "function") return match.name || "a function";
  const { client, grant_type, method, params = {} } = match;
  const parts = [
    ...client === undefined ? [] : [`client: ${idOf(client)}`],
    ...grant_type === undefined ? [] : [`grant_type: ${grant_type}`],
    ...method === undefined ? [] : [`method: ${method}`],
    // Values may be secrets, and what was asked for is in the test anyway.
    ...Object.keys(params).length === 0 ? [] : [`params: ${Object.keys(params).join(", ")}`],
  ];
  return `{ ${parts.join(", ")} }`;
}

function requests(count: number): string {
  return count === 1 ? "1 request" : `${count} requests`;
}
