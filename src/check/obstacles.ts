/** Why a check does not run an attack, or why the attack would show nothing about the client. */

import { isAboutFeature, missingAbility } from "./abilities.ts";
import { journeyOf, needsOf } from "./attack.ts";
import { unknownUser } from "./driver.ts";
import { type CheckTask, describeError, unknownResult } from "./assess.ts";
import type { AttackResult, ControlResult } from "./report.ts";
import type { Runner } from "./runner.ts";
import { isNamedIn } from "./user_texts.ts";

/** The result of a task that needs no journey; `undefined` if only a journey shows it. */
export function resultWithoutJourney(
  runner: Runner,
  control: ControlResult,
  task: CheckTask,
): AttackResult | undefined {
  const skipped = skipReason(runner, control, task);
  if (skipped !== undefined) return unknownResult(task, "skipped", skipped);
  const inconclusive = inconclusiveReason(control, task);
  return inconclusive === undefined ? undefined : unknownResult(task, "inconclusive", inconclusive);
}

function skipReason(
  { driver, options: { as, timeLimits = false, inProcess = true } }: Runner,
  { passed, abilities, endpoints }: ControlResult,
  { attack, values }: CheckTask,
): string | undefined {
  if (attack.waitsForTimeLimit && !timeLimits) return "the attack waits for the time limits of the client";
  if (attack.needsSignatureCheck && driver.verifiesIdTokenSignature === false) {
    return "the client skips the signature, which OpenID Connect Core §3.1.3.7 allows";
  }
  if (attack.needsHttpsIssuer && as?.issuer.startsWith("http:")) return "the issuer is not an https URL";
  if (attack.needsAnyOrigin && as !== undefined) return "the attack names hosts of internal networks";
  const isConfigured = attack.needsOwnServer || journeyOf(attack, values) === "second issuer";
  if (isConfigured && as !== undefined) return "the client is configured with one issuer";
  if (!passed) return undefined;
  const { endpoint } = values;
  const only = typeof endpoint === "string" ? endpoint : attack.endpoints.length === 1 ? attack.endpoints[0]! : "";
  // Clients do not use every endpoint. A client may also have cached a document, such as the metadata, before.
  const isOptional = only === "userinfo" || isAboutFeature(attack) && endpoint !== undefined;
  return missingAbility(needsOf(attack, values), abilities, inProcess) ??
    (isOptional && !endpoints.has(only) ? `the client sends no request to ${only}` : undefined);
}

function inconclusiveReason(
  { passed, sub, exchanges, failedAbilities }: ControlResult,
  { attack, values }: CheckTask,
): string | undefined {
  if (!passed) return "the login without an attack failed";
  if (attack.needsUser && (sub === unknownUser || !isNamedIn(sub!, exchanges))) {
    const seen = sub === unknownUser ? "" : `${JSON.stringify(sub)} is in no claim of the user, so `;
    return `${seen}the application does not show who is logged in: ` +
      "name a text of this user (loggedInText, --logged-in-text)";
  }
  const ability = needsOf(attack, values).find((needed) => failedAbilities.has(needed));
  return ability && `${ability} fails without an attack: ${describeError(failedAbilities.get(ability))}`;
}
