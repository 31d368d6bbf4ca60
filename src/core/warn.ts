/** Warnings of extensions and providers, whose checks contain the texts. Other warnings are observations. */

import type { AnyName } from "./policy.ts";
import type { Explanation, RuleExplanation } from "./explanation.ts";
import type { Server } from "./server.ts";

/** Warns the operator about a request that was accepted, or about a failure without a request. */
export function warn(
  server: Pick<Server, "now" | "trace">,
  client: string | undefined,
  explanation: Explanation,
): void {
  server.trace({ type: "warning", at: server.now(), ...client !== undefined && { client }, explanation });
}

/** Warns that a request was accepted only because a setting is `"any"`. */
export function warnAccepted(
  server: Pick<Server, "now" | "trace">,
  client: { readonly id: string },
  setting: AnyName,
  explanation: RuleExplanation,
): void {
  const reason = `${explanation.reason}; it was accepted, because ${setting} is "any"`;
  warn(server, client.id, { ...explanation, reason });
}
