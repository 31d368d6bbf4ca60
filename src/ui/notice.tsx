/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** Sentences that must be seen, and verdicts: never by colour alone, a mark or a word goes with it. */

import type { ComponentChildren, VNode } from "preact";

/** What a notice says. */
export interface NoticeProps {
  readonly kind: "bad" | "warn";
  readonly children: ComponentChildren;
}

/** A paragraph set apart by a rule at its side; a bad one is announced to those who listen. */
export function Notice({ kind, children }: NoticeProps): VNode {
  return <div class={`notice ${kind}`} role={kind === "bad" ? "alert" : undefined}>{children}</div>;
}

/** What a verdict says. */
export interface VerdictProps {
  /** Undefined: it could not be checked. */
  readonly holds: boolean | undefined;
  readonly children: ComponentChildren;
}

/** A sentence with ✓ before what holds, ✗ before what fails, – before what could not be checked. */
export function Verdict({ holds, children }: VerdictProps): VNode {
  const [name, mark] = holds === undefined ? ["open", "–"] : holds ? ["good", "✓"] : ["off", "✗"];
  return (
    <p class={`verdict ${name}`}>
      <span class="mark" aria-hidden="true">{mark}</span>
      <span>{children}</span>
    </p>
  );
}
