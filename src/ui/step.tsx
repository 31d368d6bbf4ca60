/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** One of several things to do in order: the number in the margin, what to do, and why. */

import type { ComponentChildren, VNode } from "preact";

/** What a step says. */
export interface StepProps {
  /** An imperative sentence without its full stop. */
  readonly title: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Belongs inside `<ol class="steps">`. */
export function Step({ title, children }: StepProps): VNode {
  return (
    <li>
      <h3>{title}</h3>
      {children}
    </li>
  );
}
