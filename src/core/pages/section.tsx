/** @jsxImportSource preact */
/** The parts of a page. */

import type { ComponentChildren, VNode } from "preact";

interface SectionProps {
  /** The `id` of the section, a link target. */
  readonly id: string;
  readonly heading: string;
  readonly children: ComponentChildren;
}

/** Two parts of a page, side by side on wide screens: list and detail, request and response. */
export function Panes({ wide = false, children }: {
  /** Whether the first part needs two thirds of the width. Default: false. */
  readonly wide?: boolean;
  readonly children: ComponentChildren;
}): VNode {
  return <div class={wide ? "panes wide" : "panes"}>{children}</div>;
}

export function Section({ id, heading, children }: SectionProps): VNode {
  return (
    <section id={id} aria-labelledby={`${id}-heading`}>
      <h2 id={`${id}-heading`}>{heading}</h2>
      <div class="body">{children}</div>
    </section>
  );
}
