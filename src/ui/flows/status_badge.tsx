/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** How something stands: a mark and words, never a colour alone. */

import type { VNode } from "preact";
import type { Mark, Standing as Stands } from "./props.ts";

const marks: Readonly<Record<Mark, string>> = { good: "✓", warn: "!", bad: "✗", open: "–" };

/** A few words with their mark in front. */
export function Standing({ mark, words }: Stands): VNode {
  return (
    <span class={`standing ${mark}`}>
      <b aria-hidden="true">{marks[mark]}</b>
      {words}
    </span>
  );
}
