/** @jsxImportSource preact */
/** A highlighted notice. */

import type { ComponentChildren, VNode } from "preact";
import { formatRoughDuration } from "./duration.ts";
import type { Site } from "./layout.tsx";

const roles = { bad: "alert", good: "status", warn: undefined } as const;

/** A block with a coloured border; one that is bad or good is announced to screen readers. */
export function Notice(
  { kind, role = roles[kind], text, children = <p>{text}</p> }: {
    readonly kind: keyof typeof roles;
    readonly role?: "alert" | "status";
    /** The only paragraph; absent if there are children. */
    readonly text?: string;
    readonly children?: ComponentChildren;
  },
): VNode {
  return <div class={`notice ${kind}`} role={role}>{children}</div>;
}

/** What the last form changed; nothing without a text. */
export function ConfirmationNotice({ text }: { readonly text?: string }): VNode | null {
  if (text === undefined) return null;
  return (
    <Notice kind="good">
      <p>
        <span aria-hidden="true">✓</span> <bdi>{text}</bdi>
      </p>
    </Notice>
  );
}

/** How far the clock of the server was moved, for the pages where times matter; nothing if it was not. */
export function ClockNotice({ site: { base, links = [] } }: { readonly site: Site }): VNode | null {
  const page = links.find(({ clockOffset = 0 }) => clockOffset !== 0);
  if (page === undefined) return null;
  const { path, clockOffset = 0 } = page;
  return (
    <Notice kind="warn">
      <p>
        The clock of the server is {formatRoughDuration(Math.abs(clockOffset))} {clockOffset > 0 ? "ahead" : "behind"}.
        {" "}
        <a href={`${base}${path}#clock`}>Reset the clock</a>
      </p>
    </Notice>
  );
}
