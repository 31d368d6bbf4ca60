/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** The verdict of a check: never by colour alone, a mark goes with it, and what was compared stands below. */

import type { ComponentChildren, VNode } from "preact";
import { Comparison } from "./comparison.tsx";
import { Wire } from "./value.tsx";

/** What a verdict says. */
export interface VerdictProps {
  /** Undefined: it was not checked, or could not be. */
  readonly holds: boolean | undefined;
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
export function Verdict({ holds, children, expected, received, rule }: VerdictProps): VNode {
  const [name, mark, word] = holds === undefined
    ? ["open", "–", "Not checked"]
    : holds
    ? ["good", "✓", "Holds"]
    : ["off", "✗", "Fails"];
  return (
    <div class={`verdict ${name}`}>
      <span class="mark" role="img" aria-label={word}>{mark}</span>
      <div>
        <p>
          {children} {rule !== undefined && <span class="rule">{rule}</span>}
        </p>
        {holds && expected !== undefined && expected === received
          ? (
            <p class="comparison">
              Expected and received: <Wire text={expected} />
            </p>
          )
          : <Comparison expected={expected} received={received} />}
      </div>
    </div>
  );
}
