/** @jsxImportSource preact */
/** A highlighted notice. */

import type { ComponentChildren, VNode } from "preact";

const roles = { bad: "alert", good: "status", warn: undefined } as const;

/** A block with a coloured border; one that is bad or good is announced to screen readers. */
export function Notice(
  { kind, role = roles[kind], children }: {
    readonly kind: keyof typeof roles;
    readonly role?: "alert" | "status";
    readonly children: ComponentChildren;
  },
): VNode {
  return <div class={`notice ${kind}`} role={role}>{children}</div>;
}

/** What the last form changed; nothing without a text. */
export function Confirmation({ text }: { readonly text?: string }): VNode | null {
  if (text === undefined) return null;
  return (
    <Notice kind="good">
      <p>
        <span aria-hidden="true">✓</span> <bdi>{text}</bdi>
      </p>
    </Notice>
  );
}
