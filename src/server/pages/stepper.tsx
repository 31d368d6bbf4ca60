/** @jsxImportSource preact */
/** The steps of a journey in one line: which are done, and which one the page shows. */

import type { VNode } from "preact";

/** One step. */
export interface StepperItem {
  /** One word or two. */
  readonly label: string;
  /** How it ended; absent if it has not. */
  readonly outcome?: "done" | "failed";
  /** Whether the page shows this step. Default: false. */
  readonly current?: boolean;
}

/** Stays in view while the page scrolls. `label` names the list for screen readers. */
export function Stepper({ label, items }: { readonly label: string; readonly items: readonly StepperItem[] }): VNode {
  return (
    <ol class="stepper" aria-label={label}>
      {items.map(({ label, outcome, current = false }, i) => (
        <li key={label} aria-current={current ? "step" : undefined}>
          <b class={outcome && { done: "good", failed: "bad" }[outcome]} aria-hidden="true">
            {outcome === undefined ? i + 1 : { done: "✓", failed: "✗" }[outcome]}
          </b>
          <span>
            {label}
            {outcome !== undefined && <span class="unseen">, {outcome}</span>}
          </span>
        </li>
      ))}
    </ol>
  );
}
