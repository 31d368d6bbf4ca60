/** Warnings about what is not registered and was accepted: `config/accept_any.ts`. */

import type { AnyName } from "./config/accept_any.ts";
import type { RuleExplanation } from "./explanation.ts";
import type { Server } from "./server.ts";

/** Warns that a request was accepted only because a setting is `"any"`. */
export function warnAccepted(
  server: Pick<Server, "now" | "trace">,
  client: { readonly id: string },
  setting: AnyName,
  explanation: RuleExplanation,
): void {
  const reason = `${explanation.reason}; it was accepted, because ${setting} is "any"`;
  server.trace({ type: "warning", at: server.now(), client: client.id, explanation: { ...explanation, reason } });
}
