/** @jsxImportSource preact */
/** How to fix what a check rejected. */

import type { VNode } from "preact";
import type { RuleResult } from "./rule_result.ts";

/** Renders nothing without a fix. The text may quote a request, so its direction is isolated. */
export function Fix({ fix }: Pick<RuleResult, "fix">): VNode | null {
  if (fix === undefined) return null;
  return (
    <p>
      <strong>How to fix it:</strong> <bdi>{fix}</bdi>
    </p>
  );
}
