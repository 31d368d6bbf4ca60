/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** A highlighted notice. */

import type { ComponentChildren, VNode } from "preact";

/** The props of a notice. */
interface NoticeProps {
  readonly kind: "bad" | "warn";
  readonly children: ComponentChildren;
}

/** A block with a coloured border; a bad one is announced to screen readers. */
export function Notice({ kind, children }: NoticeProps): VNode {
  return <div class={`notice ${kind}`} role={kind === "bad" ? "alert" : undefined}>{children}</div>;
}
