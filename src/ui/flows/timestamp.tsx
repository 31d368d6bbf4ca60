/** @jsxImportSource preact */
/** Times and durations for reading. All times are UTC, as in the terminal. */

import type { VNode } from "preact";

/** A point in time (milliseconds since the epoch): to the second; `full`: with date and milliseconds. */
export function Timestamp({ at, full = false }: { readonly at: number; readonly full?: boolean }): VNode {
  const text = new Date(at).toISOString();
  if (!full) return <time>{text.slice(11, 19)}</time>;
  return <time datetime={text}>{`${text.slice(0, 10)} ${text.slice(11, 23)} UTC`}</time>;
}

/** A duration: `12 ms`, `3.4 s`, `5 min`. */
export function formatMilliseconds(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${Math.round(milliseconds / 60_000)} min`;
}
