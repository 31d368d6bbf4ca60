/** The records of the catalogue as attacks: with the defaults of their category, and with values that are checked. */

import type { Fault } from "../testing/faults/fault.ts";
import {
  type FaultParameter,
  type ParameterValues,
  textParameter,
  validateParameters,
} from "../testing/faults/parameters.ts";
import { type Match, matchesPattern } from "../testing/faults/rule_builder.ts";
import {
  type Assessment,
  type Attack,
  type AttackDefaults,
  type Conclusion,
  countLogins,
  type Journey,
  mayBeginAgain,
  type Requirement,
  type Scene,
  type Stage,
} from "./attack.ts";
import { withAttackDefaults } from "./attacks/categories.ts";
import type { ClientSession } from "./driver.ts";

export type { Assessment, Attack, Conclusion, Stage };

/** The members of the record of an attack. Its category has defaults (`attacks/categories.ts`). */
export interface AttackSource<Parameters extends readonly FaultParameter[]>
  extends Pick<Attack, "id" | "title" | "assess">, Omit<AttackDefaults, "requirement"> {
  /** The section if it binds every client, or a {@link Requirement}. Default: {@link Attack.requirement}. */
  readonly requirement?: string | Requirement;
  /** Further sources beside that of the requirement. Default: none. */
  readonly sources?: readonly string[];
  /**
   * The further journeys that reach the same check of the client: the first variant is tried in each. Default: none.
   */
  readonly alsoIn?: readonly Journey[];
  /** Default: none. */
  readonly parameters?: Parameters;
  /** The fault of the next request of each login, and of every request where {@link staysActive} is true. */
  once?(values: ParameterValues<Parameters>, scene: Scene): Fault | undefined;
  /** The fault of every request. */
  always?(values: ParameterValues<Parameters>, scene: Scene): Fault | undefined;
  /** The endpoint of the fault. Default: the value of the parameter `endpoint`, else the first of `endpoints`. */
  readonly on?: string;
  /** The requests to the endpoint that the fault is for. Default: all. */
  readonly match?: Match;
  /** Adds other faults, with complete and valid values. Default: none. */
  start?(stage: Stage, values: ParameterValues<Parameters>): void | Promise<void>;
  /** {@link Attack.perform}, with complete and valid values. */
  perform?(stage: Stage, values: ParameterValues<Parameters>): Promise<ClientSession | Conclusion>;
}

const refreshes: Match = { grant_type: "refresh_token" };

/**
 * Whether a fault that a client must reject stays until the journey ends, because a correct client may send the request
 * or begin the login again, and an unchanged response would hide that it rejected the changed one.
 */
const staysActive = ({ level, allowsNewLogin }: Pick<Attack, "level" | "allowsNewLogin">): boolean =>
  (level === "must-reject" || level === "should-reject") && !allowsNewLogin;

/** Adds a fault of one request, which happens again in each login that the client begins by itself. */
function addOncePerLogin({ as }: Stage, endpoint: string, match: Match, fault: Fault): void {
  const countNow = () => countLogins(as.log.unmasked.exchanges);
  let fired = 0;
  /** How many logins there were at the last match, and when the fault happened. */
  let [matchedIn, happenedIn] = [-1, -1];
  const rule = as.on(endpoint, (request) => {
    if (rule.fired > fired) happenedIn = matchedIn;
    fired = rule.fired;
    if (countNow() <= happenedIn) return false;
    if (!(typeof match === "function" ? match(request) : matchesPattern(match, request))) return false;
    matchedIn = countNow();
    return true;
  }).always(fault);
}

/** Defines an attack. @throws {TypeError} As {@link withAttackDefaults}. */
export function defineAttack<const Parameters extends readonly FaultParameter[] = []>(
  source: AttackSource<Parameters>,
): Attack {
  const { alsoIn = [], parameters: own = [], once, always, on, match, start, perform, ...others } = source;
  const { sources = [], requirement: given, ...rest } = others;
  const requirement = typeof given === "string" ? { source: given } : given;
  const { by = "logIn", journey = "login", variants = [{}], ...attack } = withAttackDefaults(rest);
  const parameters = alsoIn.length === 0
    ? own
    : [...own, textParameter("journey", journey, "What the client does while the attack is active.")];
  const complete = (values: Readonly<Record<string, unknown>>) =>
    validateParameters(source.id, parameters, values) as ParameterValues<Parameters>;
  /** The fault alone, for any server. */
  const createFault = (values: ParameterValues<Parameters>): Fault => {
    // Known when a server receives the fault, before any response is changed.
    let now = (): number => NaN;
    const scene: Scene = {
      trap: { origin: "https://attacker.example", addOrigin() {} },
      as: { clock: { now: () => now() } },
    };
    const fault = (once?.(values, scene) ?? always?.(values, scene))!;
    return {
      ...fault,
      id: source.id,
      parameters: values,
      onRuleAdded(app) {
        now = app.server.now;
        fault.onRuleAdded?.(app);
      },
    };
  };
  const defined: Attack = {
    allowsNewLogin: false,
    ...attack,
    requirement,
    sources: [...new Set([...requirement === undefined ? [] : [requirement.source], ...sources])],
    // What an attack does itself is a login of a browser.
    by: source.by ?? (perform !== undefined && by === "any" ? "logIn" : by),
    journey,
    parameters,
    variants: [...variants, ...alsoIn.map((other) => ({ ...variants[0], journey: other }))],
    async start(stage, given = {}) {
      const values = complete(given);
      await start?.(stage, values);
      const { endpoint = attack.endpoints[0], journey: act = journey } = values as {
        readonly endpoint?: string;
        readonly journey?: Journey;
      };
      const stays = staysActive(defined);
      const isRefresh = stays && endpoint === "token" && act === "refresh";
      const [target, requests] = [on ?? endpoint!, match ?? (isRefresh ? refreshes : {})];
      const [one, each] = [once?.(values, stage), always?.(values, stage)];
      if (one !== undefined && stays) stage.as.on(target, requests).always(one);
      else if (one !== undefined && mayBeginAgain(defined)) addOncePerLogin(stage, target, requests, one);
      else if (one !== undefined) stage.as.on(target, requests).once(one);
      if (each !== undefined) stage.as.on(target, requests).always(each);
    },
    ...on !== undefined && { on },
    ...(once ?? always) && { create: (values) => createFault(complete(values ?? {})) },
    ...perform && { perform: (stage, values = {}) => perform(stage, complete(values)) },
  };
  return defined;
}
