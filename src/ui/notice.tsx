/** @jsxImportSource preact */
/** A highlighted notice. */

import type { ComponentChildren, VNode } from "preact";

/** A block with a coloured border; a bad one is announced to screen readers. */
export function Notice(
  { kind, children }: { readonly kind: "bad" | "warn"; readonly children: ComponentChildren },
): VNode {
  return <div class={`notice ${kind}`} role={kind === "bad" ? "alert" : undefined}>{children}</div>;
}
