/** @jsxImportSource preact */
/** A status as a pill. */

import type { ComponentChildren, VNode } from "preact";

/** Good, good with a warning, bad, not decided yet, or revoked. */
export type Tone = "good" | "warn" | "bad" | "open" | "over";

export interface Status {
  /** How it ended. */
  readonly tone: Tone;
  /** A word or two: `success`, `error`, `pending`, `revoked`. */
  readonly label: string;
}

const toneMarks: Readonly<Record<Tone, string>> = { good: "✓", warn: "!", bad: "✗", open: "–", over: "⊘" };

/** A word with a mark in front, never colour alone; then the children, such as a time. */
export function StatusBadge({ tone, label, children }: Status & { readonly children?: ComponentChildren }): VNode {
  return (
    <span class={`pill ${tone}`}>
      <b aria-hidden="true">{toneMarks[tone]}</b>
      {label}
      {children}
    </span>
  );
}

/** The mark alone, in a list with one line a row; the word is its name. */
export function StatusMark({ tone, label }: Status): VNode {
  return <b class={`outcome ${tone}`} role="img" aria-label={label}>{toneMarks[tone]}</b>;
}
