/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** Sentences that must be seen. */

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
