/** @jsxImportSource preact */
/** A status: a mark and words, never colour alone. */

import type { VNode } from "preact";
import type { Status as StatusProps, Tone } from "./props.ts";

const toneMarks: Readonly<Record<Tone, string>> = { good: "✓", warn: "!", bad: "✗", open: "–" };

/** A few words with their mark in front. */
export function StatusBadge({ tone, label }: StatusProps): VNode {
  return (
    <span class={`standing ${tone}`}>
      <b aria-hidden="true">{toneMarks[tone]}</b>
      {label}
    </span>
  );
}
