/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** The verdict of a check: never by colour alone, a mark goes with it, and what was compared stands below. */

import type { ComponentChildren, VNode } from "preact";
import { Comparison } from "./comparison.tsx";
import { Code } from "./value.tsx";

/** What a verdict says. */
export interface CheckItemProps {
  /** Undefined: it was not checked, or could not be. */
  readonly passed: boolean | undefined;
  /** One sentence, or two. */
  readonly children: ComponentChildren;
  /** What would have been right. */
  readonly expected?: string;
  /** What came. */
  readonly received?: string;
  /** Where it is written: the section of a specification, or the ID of a rule. */
  readonly rule?: string;
}

/** A sentence with ✓ before what holds, ✗ before what fails, – before what was not checked; and both sides, if given. */
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
          {children} {rule !== undefined && <span class="rule">{rule}</span>}
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
