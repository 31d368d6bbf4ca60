/** The stage of an attack: the environment of its journey, and what the attack can do with the client. */

import { decodeJwtPart } from "../platform/http/jwt_part.ts";
import type { Callback } from "../testing/browser/callback.ts";
import { type FaultRule, type Match, matchesPattern, type RuleBuilder } from "../testing/faults/rule_builder.ts";
import type { TestLatchkey } from "../testing/test_latchkey.ts";
import type { PendingLogin, Stage } from "./attack.ts";
import type { ClientDriver, ClientJourney, ClientSession } from "./driver.ts";
import type { JourneyEnvironment } from "./journeys.ts";

/** A stage, and how its attack ends. */
export interface OpenStage extends Stage {
  /** How many of the faults that were added have fired. */
  reach(): "all" | "some" | "none";
  /** Whether every fault can happen again. */
  isLasting(): boolean;
  /** Removes the faults. */
  removeRules(): void;
  /** Gives client and server the same time again, if the client does not read the clock of the journey. */
  restoreTime(): void;
}

/** Sets the stage after the login before the attack, if the journey has one. */
export function openStage(
  driver: ClientDriver,
  { as, journey, trap, resource, issueToken, openBrowser, openOtherIssuer }: JourneyEnvironment,
  { session, expectedSub, capabilities, begin, skipsSilent }:
    & Pick<Stage, "session" | "expectedSub" | "capabilities" | "begin">
    & {
      /** Whether no fault applies to authorization requests without pages. */
      readonly skipsSilent: boolean;
    },
): OpenStage {
  const rules: FaultRule[] = [];
  let passedSeconds = 0;
  return {
    as: { ...as, on: collectRules(as, rules, skipsSilent) },
    client: journey.client,
    trap,
    driver,
    journey,
    session,
    expectedSub,
    capabilities,
    resource,
    begin,
    issueToken,
    openBrowser,
    async openOtherIssuer() {
      const other = await openOtherIssuer();
      return { ...other, issuer: other.issuer, on: collectRules(other, rules, skipsSilent) };
    },
    startLogin: (of = journey) => startLogin(driver, of),
    passTime(seconds) {
      passedSeconds += seconds;
      as.clock.advance(seconds);
    },
    reach() {
      const unfired = rules.filter(({ fired }) => fired === 0).length;
      return unfired === 0 ? "all" : unfired < rules.length ? "some" : "none";
    },
    isLasting: () => rules.every(({ finished }) => !finished),
    removeRules: () => rules.splice(0).forEach((rule) => rule.remove()),
    restoreTime() {
      if (driver.readsClock) return;
      as.clock.advance(-passedSeconds);
      passedSeconds = 0;
    },
  };
}

/** Starts a login of the client, and keeps the response from it. */
async function startLogin(driver: ClientDriver, journey: ClientJourney): Promise<PendingLogin> {
  const { signal } = journey;
  const opened = Promise.withResolvers<Callback>();
  const response = Promise.withResolvers<Callback>();
  signal.addEventListener("abort", () => response.reject(signal.reason), { once: true });
  const authorize = async (url: string | URL) => {
    const callback = await journey.authorize(url);
    // A client that tries a login without pages then starts one with pages.
    if (callback.error === "login_required") return callback;
    opened.resolve(callback);
    return await response.promise;
  };
  const session = new Promise<ClientSession>((resolve) => resolve(driver.logIn!({ ...journey, authorize })));
  const ended = session.then(() => {
    throw new Error("The client completed a login without an authorization request.");
  });
  // They may end after the attack.
  for (const promise of [session, ended, response.promise]) promise.catch(() => {});
  return { callback: await Promise.race([opened.promise, ended]), session, respond: response.resolve };
}

/** The `prompt` of an authorization request, which may be pushed or signed (RFC 9126, RFC 9101). */
function promptOf(as: TestLatchkey, params: Readonly<Record<string, string | undefined>>): unknown {
  const { prompt, request, request_uri } = params;
  if (request !== undefined) return decodeJwtPart(request, 1).prompt;
  if (request_uri === undefined) return prompt;
  const pushed = as.log.unmasked.filter("par").find(({ response }) => response?.body?.includes(request_uri));
  return pushed && promptOf(as, Object.fromEntries(pushed.request.form));
}

/** `as.on`, which also puts every rule that is added into a list. */
function collectRules(as: TestLatchkey, rules: FaultRule[], skipsSilent: boolean): TestLatchkey["on"] {
  const collect = (rule: FaultRule): FaultRule => {
    rules.push(rule);
    return rule;
  };
  const wrap = (builder: RuleBuilder): RuleBuilder => ({
    named: (name) => wrap(builder.named(name)),
    for: (seconds) => wrap(builder.for(seconds)),
    once: (fault) => collect(builder.once(fault)),
    times: (count, fault) => collect(builder.times(count, fault)),
    always: (fault) => collect(builder.always(fault)),
  });
  const withPages = (match: Match = {}): Match => (request) =>
    promptOf(as, request.params) !== "none" &&
    (typeof match === "function" ? match(request) : matchesPattern(match, request));
  return (endpoint: string, match?: Match) =>
    wrap(as.on(endpoint, skipsSilent && endpoint === "authorize" ? withPages(match) : match));
}
