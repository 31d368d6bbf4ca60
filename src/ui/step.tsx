/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** A numbered step of instructions. */

import type { ComponentChildren, VNode } from "preact";

/** The props of a step. */
interface StepProps {
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
