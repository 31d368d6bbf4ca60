/** Explains a grant or a consent that was revoked. */

import type { RevocationRecord } from "../../core/store/store.ts";
import type { RejectionTexts } from "./rule_text.ts";

/** Explains something that was issued for a revoked grant or consent. */
export function explainRevocation(name: "grant" | "consent", revocation: RevocationRecord): RejectionTexts {
  return {
    reason: `the ${name} was revoked`,
    expected: `a ${name} that is not revoked`,
    received: `a revoked ${name}`,
    ...describeRevocation(revocation),
  };
}

/** When and why a grant or consent was revoked, and the fix. */
export function describeRevocation({ reason, at }: RevocationRecord): Pick<RejectionTexts, "earlier" | "fix"> {
  return {
    ...reason !== undefined && at !== undefined && { earlier: `revoked at ${new Date(at).toISOString()}: ${reason}` },
    fix: "Start a new login: every token of the grant is revoked.",
  };
}
