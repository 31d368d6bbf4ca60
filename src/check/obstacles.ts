/** Why a check does not run an attack, or why the attack would show nothing about the client. */

import { isAboutFeature, missingCapability } from "./capabilities.ts";
import { needsOf } from "./attack.ts";
import { type CheckTask, describeError, skippedResult, unclearResult } from "./assess.ts";
import type { AttackResult, ControlResult } from "./report.ts";
import type { Runner } from "./runner.ts";

/** The result of a task that needs no journey; `undefined` if only a journey shows it. */
export function resultWithoutJourney(
  { options: { inProcess = true } }: Runner,
  control: ControlResult,
  task: CheckTask,
): AttackResult | undefined {
  const { passed, capabilities, failedCapabilities } = control;
  if (!passed) return skippedResult(task, "it failed without an attack");
  const needs = needsOf(task.attack, task.values);
  const skipped =
    missingCapability(needs.filter((capability) => capability !== "namesUser"), capabilities, inProcess) ??
      unusedEndpoint(control, task);
  if (skipped !== undefined) return skippedResult(task, skipped);
  const unknown = missingCapability(needs, capabilities);
  if (unknown !== undefined) return unclearResult(task, unknown);
  const failed = needs.find((capability) => failedCapabilities.has(capability));
  return failed && unclearResult(
    task,
    `${failed} fails without an attack: ${describeError(failedCapabilities.get(failed))}`,
  );
}

/** Clients do not use every endpoint. A client may also have cached a document, such as the metadata, before. */
function unusedEndpoint({ endpoints }: ControlResult, { attack, values: { endpoint } }: CheckTask): string | undefined {
  const only = typeof endpoint === "string" ? endpoint : attack.endpoints.length === 1 ? attack.endpoints[0]! : "";
  // The token of a resource server is requested by the check.
  const isOptional = only === "userinfo" || only === "token" && attack.by !== "acceptToken" || endpoint === "jwks" ||
    isAboutFeature(attack) && endpoint !== undefined;
  return isOptional && !endpoints.has(only) ? `the client sends no request to ${only}` : undefined;
}
