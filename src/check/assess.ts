/** Assesses what a client did under an attack: from an observation to a result with its verdict. */

import {
  type Assessment,
  type Attack,
  type AttackLevel,
  exchangesOf,
  type Observation,
  type Requirement,
  type Stop,
} from "./attack.ts";
import { unknownUser } from "./driver.ts";
import { type Effect, effects, type Seen, warningEffect } from "./effects.ts";
import { type AttackResult, isFailure } from "./report.ts";
import { type Capability, missingCapability, seenText } from "./capabilities.ts";
import { secretsInRequest, type Sighting } from "./markers.ts";

/** Assesses by the attack itself, or else by its level. No client may crash. */
async function assessBehaviour(attack: Attack, observation: Observation): Promise<Assessment> {
  if (observation.outcome === "crashed") return { passed: false, because: describeOutcome(observation) };
  if (observation.isEndless) {
    const because = "the client begins the login again after each failure, so that the browser never stops";
    return { passed: false, because, seen: "endless", harm: "gave the user neither a session nor an error" };
  }
  const marked = observation.scan().find(({ value }) => value === "markup");
  if (marked !== undefined) {
    const harm = "put a script of the attacker into a page";
    return { passed: false, because: marked.because, seen: "hostile", harm };
  }
  return observation.conclusion ?? await attack.assess?.(observation) ??
    await assessByLevel[attack.level](attack, observation);
}

type AssessLevel = (attack: Attack, observation: Observation) => Assessment | Promise<Assessment>;

const assessByLevel: Readonly<Record<AttackLevel, AssessLevel>> = {
  "must-reject": assessRejection,
  "should-reject": assessRejection,
  "must-tolerate": assessTolerance,
  "must-recover": assessRecovery,
};

/** The requests that must not follow the attack, by the point where the client stops. */
const forbiddenEndpoints: Readonly<Record<Stop, readonly string[]>> = {
  discovery: ["authorize", "par", "register", "token", "device_authorization", "backchannel_authentication"],
  callback: ["token"],
  token: ["userinfo"],
};

function assessRejection({ stop }: Attack, observation: Observation): Assessment {
  const [trapped] = observation.trap.requests;
  if (trapped !== undefined) {
    return {
      passed: false,
      because: `the client sent a request to ${new URL(trapped.url).origin}, which is not the server`,
    };
  }
  if (observation.outcome !== "rejected") return { passed: false, because: describeOutcome(observation) };
  const forbidden = stop === undefined ? [] : forbiddenEndpoints[stop];
  const sent = forbidden.find((endpoint) => exchangesOf(observation, endpoint).length > 0);
  if (sent === undefined) return { passed: true, because: describeOutcome(observation) };
  const because = `the client reported an error, but only after a request to ${sent}`;
  // Userinfo belongs to the server that issued the token, so nothing is lost by the request.
  if (stop === "token") return { passed: false, because, isWarning: true, seen: "early" };
  return { passed: false, because, seen: "early" };
}

function assessTolerance(_: Attack, observation: Observation): Assessment {
  const { outcome, session, expectedSub } = observation;
  const because = describeOutcome(observation);
  if (outcome === "accepted" && session!.sub === unknownUser && expectedSub !== unknownUser) {
    return { passed: false, isUnclear: true, because };
  }
  return { passed: outcome === "accepted" && session!.sub === expectedSub, because };
}

async function assessRecovery(_: Attack, observation: Observation): Promise<Assessment> {
  const { outcome } = observation;
  if (outcome === "hung") return { passed: false, because: describeOutcome(observation) };
  const recovers = await observation.recovers();
  return {
    passed: recovers,
    because: `${describeOutcome(observation)}; the login after it ${recovers ? "succeeded" : "failed"}`,
    seen: "noLogin",
    harm: "accepted no login after the failure had ended",
  };
}

/** One sentence without a full stop. */
export function describeOutcome({ outcome, error, session, expectedSub, capabilities }: Observation): string {
  const isApi = capabilities.has("acceptToken") && !capabilities.has("logIn");
  const who = isApi ? "the resource server" : "the client";
  if (outcome === "hung") return `${who} did not end within the time limit`;
  if (outcome === "rejected") return `${who} reported an error: ${describeError(error)}`;
  if (outcome === "crashed") return `${who} crashed with an error that no code caught: ${describeError(error)}`;
  const { sub } = session!;
  const completed = isApi ? "the resource server accepted the token" : "the client carried on";
  if (sub === expectedSub || isApi && sub === unknownUser) return completed;
  return sub === unknownUser
    ? `${completed}, and the application does not show which user is logged in`
    : `${completed} as ${JSON.stringify(sub)}`;
}

/** The code and the message of an error, on one line, at most 200 characters. */
export function describeError(error: unknown): string {
  return completeError(error).slice(0, 200);
}

/** The code and the whole message of an error, on one line. */
export function completeError(error: unknown): string {
  try {
    if (error === undefined) return "it did not end within the time limit";
    if (!(error instanceof Error)) return String(error);
    const { code } = error as Error & { readonly code?: unknown };
    const prefix = typeof code === "string" && !error.message.includes(code) ? `${code}: ` : "";
    return `${prefix}${error.message}`.replace(/\s+/g, " ");
  } catch {
    return "an error without text";
  }
}

/** One variant of one attack, which a check tries. */
export type CheckTask = Pick<AttackResult, "attack" | "values">;

/** The result of a task whose journey was observed. */
export async function assess(task: CheckTask, observation: Observation): Promise<AttackResult> {
  return resultOf(task, await assessBehaviour(task.attack, observation), observation, observedHarm(observation));
}

/** The result of an attack without a journey of its own ({@link Attack.exposes}). */
export function assessSightings(
  task: CheckTask,
  { capabilities, exchanges }: Pick<Observation, "capabilities" | "exchanges">,
  sightings: readonly Sighting[],
): AttackResult {
  const { exposes, correctClient } = task.attack;
  const found = sightings.find(({ value, place }) =>
    exposes!.some(({ values, places }) => values.includes(value) && places.includes(place))
  );
  const assessment: Assessment = found === undefined
    ? { passed: true, because: `no login showed otherwise: ${correctClient.replace(/\.$/, "")}` }
    : { passed: false, because: found.because, seen: "exposed" };
  return resultOf(task, assessment, { outcome: "accepted", capabilities, exchanges: found?.exchanges ?? exchanges });
}

function resultOf(
  task: CheckTask,
  { passed, because, isUnclear, doesNotApply, isWarning, ...shown }: Assessment,
  { outcome, error, exchanges, capabilities }: Pick<Observation, "outcome" | "error" | "exchanges" | "capabilities">,
  observed?: ReturnType<typeof observedHarm>,
): AttackResult {
  const { attack } = task;
  const harm = shown.harm ?? observed?.harm;
  const released = whyReleased(attack.requirement, capabilities);
  const requirement = released === undefined ? attack.requirement : undefined;
  const verdict = isUnclear || doesNotApply
    ? "skipped"
    : passed
    ? "passed"
    : outcome === "crashed" || shown.seen === "endless"
    ? "failed"
    : isWarning || attack.level === "should-reject" || harm === undefined && requirement === undefined
    ? "warning"
    : "failed";
  const reason = verdict === "warning" && released !== undefined && !isWarning
    ? `${because}; only a warning, because ${released} (${attack.requirement!.source})`
    : because;
  const seen = outcome === "crashed"
    ? "crashed"
    : outcome === "hung" && shown.seen !== "endless"
    ? observed!.seen
    : shown.seen ?? observed?.seen ?? usuallySeen(attack);
  // A correct server never sends what a client must reject, so that it begins no endless loop.
  const isRare = seen === "endless" && (attack.level === "must-reject" || attack.level === "should-reject");
  const general = verdict === "warning" || isRare ? warningEffect(seen) : effects[seen];
  const isOfEffect = outcome === "hung" || outcome === "crashed" || seen === "endless";
  const effect = withOwnFix(general, isOfEffect ? undefined : attack.fix);
  return {
    ...task,
    effect: passed || isUnclear || doesNotApply ? usualEffect(attack) : effect,
    ...{ verdict, because: reason, evidence: { outcome, error, exchanges }, ...isUnclear && { isUnclear } },
    ...isFailure(verdict) && { cause: effect.cause },
    ...isFailure(verdict) && harm !== undefined && { harm },
    ...verdict === "failed" && requirement !== undefined && { requirement: describeRequirement(requirement) },
  };
}

/** Why a requirement does not bind a client; `undefined` if it does. */
function whyReleased(
  { binds = [], unless = [] }: Partial<Requirement> = {},
  capabilities: ReadonlySet<Capability>,
): string | undefined {
  const other = unless.find((capability) => capabilities.has(capability));
  return other === undefined ? missingCapability(binds, capabilities) : `the client ${seenText(other)}`;
}

/** What is usually seen of a client that fails: the opposite of what the level expects. */
function usuallySeen({ level, accepts }: Attack): Seen {
  if (level === "must-tolerate") return "strict";
  return level === "must-recover" ? "noLogin" : accepts;
}

/** The usual effect of an attack that succeeds. */
export const usualEffect = (attack: Attack): Effect => withOwnFix(effects[usuallySeen(attack)], attack.fix);

const withOwnFix = (effect: Effect, fix = effect.fix): Effect => ({ ...effect, fix });

/** The number of requests to one endpoint of a client that does not wait, but repeats them. */
const minLoop = 10;

/** What an attacker got, as a journey of any attack shows it; the text follows "the client". */
function observedHarm(
  { trap, session, expectedSub, outcome, exchanges }: Observation,
): { readonly seen: Seen; readonly harm: string } | undefined {
  if (outcome === "hung") {
    const [endpoint, requests = []] = [...Map.groupBy(exchanges, (exchange) => exchange.endpoint)]
      .find(([, { length }]) => length >= minLoop) ?? [];
    return endpoint === undefined
      ? { seen: "hung", harm: "kept the user waiting, and did not end" }
      : { seen: "repeated", harm: `sent ${requests.length} requests to ${endpoint}, and did not end` };
  }
  const [request] = trap.requests;
  if (request !== undefined) {
    const secrets = new Set(trap.requests.flatMap((each) => secretsInRequest(each, exchanges)));
    const sent = secrets.size === 0 ? "a request" : [...secrets].map((secret) => `the ${secret}`).join(" and ");
    return {
      seen: secrets.size === 0 ? "contacted" : "leaked",
      harm: `sent ${sent} to ${new URL(request.url).origin}, a host of the attacker`,
    };
  }
  // An empty sub is no user.
  if (session === undefined || ["", expectedSub, unknownUser].includes(session.sub)) return undefined;
  const harm = `logged in as ${JSON.stringify(session.sub)} instead of ${JSON.stringify(expectedSub)}`;
  return { seen: "otherUser", harm };
}

/** One line: the section, and why it binds this client. */
function describeRequirement({ source, binds = [] }: Requirement): string {
  return binds.length === 0 ? source : `${source}: the client ${binds.map(seenText).join(" and ")}`;
}

/** The result of a task that shows nothing about the client. `evidence` is what was seen anyway. */
export function skippedResult(
  task: CheckTask,
  because: string,
  { cause, evidence = { exchanges: [] } }: Partial<Pick<AttackResult, "cause" | "evidence">> = {},
): AttackResult {
  const effect = usualEffect(task.attack);
  return { ...task, effect, verdict: "skipped", because, ...cause !== undefined && { cause }, evidence };
}

/** The result of a task that applies to the client, and shows nothing about it. */
export const unclearResult: typeof skippedResult = (...given) => ({ ...skippedResult(...given), isUnclear: true });
