/** Assesses what a client did under an attack: from an observation to a result with its verdict. */

import { type Assessment, type Attack, type AttackLevel, exchangesOf, type Observation, type Stop } from "./attack.ts";
import { lateRejection } from "./attacks/effects.ts";
import { LoginLimitError, unknownUser } from "./driver.ts";
import type { AttackResult } from "./report.ts";

/** Assesses by the attack itself, or else by its level. No client may crash. */
async function assessBehaviour(attack: Attack, observation: Observation): Promise<Assessment> {
  if (observation.outcome === "crashed") return { passed: false, because: describeOutcome(observation) };
  try {
    return observation.conclusion ?? await attack.assess?.(observation) ??
      await assessByLevel[attack.level](attack, observation);
  } catch (error) {
    if (!(error instanceof LoginLimitError)) throw error;
    return { passed: false, isInconclusive: true, because: error.message };
  }
}

type AssessLevel = (attack: Attack, observation: Observation) => Assessment | Promise<Assessment>;

const assessByLevel: Readonly<Record<AttackLevel, AssessLevel>> = {
  "must-reject": assessRejection,
  "should-reject": assessRejection,
  "must-tolerate": assessTolerance,
  "must-recover": assessRecovery,
  informational: (_, observation) => ({ passed: true, because: describeOutcome(observation) }),
};

/** The requests that must not follow the attack, by the point where the client stops. */
const forbiddenEndpoints: Readonly<Record<Stop, readonly string[]>> = {
  discovery: ["authorize", "par", "register", "token"],
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
  return { passed: false, because, ...stop === "token" && { isWarning: true, effect: lateRejection } };
}

function assessTolerance(_: Attack, observation: Observation): Assessment {
  const { outcome, session, expectedSub } = observation;
  const because = describeOutcome(observation);
  if (outcome === "accepted" && session!.sub === unknownUser && expectedSub !== unknownUser) {
    return { passed: false, isInconclusive: true, because };
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
  };
}

/** One sentence without a full stop. */
export function describeOutcome({ outcome, error, session, expectedSub }: Observation): string {
  if (outcome === "hung") return "the client did not end within the time limit";
  if (outcome === "rejected") return `the client reported an error: ${describeError(error)}`;
  if (outcome === "crashed") return `the client crashed with an error that no code caught: ${describeError(error)}`;
  const { sub } = session!;
  const who = sub === expectedSub ? "" : ` as ${sub === unknownUser ? sub : JSON.stringify(sub)}`;
  return `the client completed the journey${who}`;
}

/** The code and the message of an error, on one line, at most 300 characters. */
export function describeError(error: unknown): string {
  return completeError(error).slice(0, 300);
}

/** The code and the whole message of an error, on one line. */
export function completeError(error: unknown): string {
  try {
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
  const { outcome, error, exchanges } = observation;
  const { attack } = task;
  const { passed, because, isInconclusive, isWarning, effect } = await assessBehaviour(attack, observation);
  const verdict = isInconclusive
    ? "inconclusive"
    : passed
    ? "passed"
    : outcome === "crashed"
    ? "failed"
    : attack.level === "informational"
    ? "noted"
    : isWarning || attack.level === "should-reject"
    ? "warning"
    : "failed";
  return {
    ...task,
    attack: effect === undefined ? attack : { ...attack, partOf: undefined, ...effect },
    ...{ verdict, because, evidence: { outcome, error, exchanges } },
  };
}

/** The result of a task that shows nothing about the client. `evidence` is what was seen anyway. */
export function unknownResult(
  task: CheckTask,
  verdict: "skipped" | "inconclusive",
  because: string,
  { cause, evidence = { exchanges: [] } }: Partial<Pick<AttackResult, "cause" | "evidence">> = {},
): AttackResult {
  return { ...task, verdict, because, ...cause !== undefined && { cause }, evidence };
}
