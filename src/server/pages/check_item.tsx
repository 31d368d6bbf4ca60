/** @jsxImportSource preact */
/** The result of a check: a mark besides the colour, and the compared values below. */

import type { ComponentChildren, VNode } from "preact";
import type { RuleResult } from "./rule_result.ts";
import { Comparison } from "./comparison.tsx";
import { RuleLink } from "./rule_link.tsx";
import { Code } from "./value.tsx";

/** Instead of the ID of a rule, `rule` may be the section of a specification. */
interface CheckItemProps extends Pick<RuleResult, "passed" | "rule" | "expected" | "received"> {
  /** One sentence, or two. */
  readonly children: ComponentChildren;
}

/** A sentence after ✓ (passed), ✗ (failed) or – (not checked), with the values if present. */
export function CheckItem({ passed, children, expected, received, rule }: CheckItemProps): VNode {
  const [name, mark, word] = passed === undefined
    ? ["open", "–", "Not checked"]
    : passed
    ? ["good", "✓", "Passed"]
    : ["off", "✗", "Failed"];
  return (
    <div class={`verdict ${name}`}>
      <span class="mark" role="img" aria-label={word}>{mark}</span>
      <div>
        <p>
          {children} {rule !== undefined && (
            <span class="rule">
              <RuleLink rule={rule} />
            </span>
          )}
        </p>
        {passed && expected !== undefined && expected === received
          ? (
            <p class="comparison">
              Expected and received: <Code text={expected} />
            </p>
          )
          : <Comparison expected={expected} received={received} />}
      </div>
    </div>
  );
}
