/** @jsxImportSource preact */
/** A list of checks behind one line, "9 of 9 checks passed". It is open if a check failed. */

import type { ComponentChildren, VNode } from "preact";
import { StatusBadge } from "./status_badge.tsx";

interface CheckListProps {
  /** The result of each check; undefined: not checked. */
  readonly results: readonly (boolean | undefined)[];
  /** Whether the list stays folded, because the failed checks are shown outside of it. Default: false. */
  readonly failedOutside?: boolean;
  /** The checks in full. */
  readonly children: ComponentChildren;
}

/** "9 of 9 checks passed", or "5 of 12 checks passed, 1 failed, 6 not checked". */
export function checkCount(results: readonly (boolean | undefined)[]): string {
  const count = (result: boolean | undefined) => results.filter((item) => item === result).length;
  const [failed, unchecked] = [count(false), count(undefined)];
  return `${count(true)} of ${results.length} ${results.length === 1 ? "check" : "checks"} passed${
    failed > 0 ? `, ${failed} failed` : ""
  }${unchecked > 0 ? `, ${unchecked} not checked` : ""}`;
}

/** The number of passed checks, a mark for each check, passed ones first, and unfolded the checks themselves. */
export function CheckList({ results, failedOutside = false, children }: CheckListProps): VNode {
  const count = (result: boolean | undefined) => results.filter((item) => item === result).length;
  const [passed, failed, unchecked] = [count(true), count(false), count(undefined)];
  return (
    <details class="checklist" open={failed > 0 && !failedOutside}>
      <summary>
        <StatusBadge tone={failed > 0 ? "bad" : unchecked > 0 ? "open" : "good"} label={checkCount(results)} />
        <span class="marks" aria-hidden="true">
          {"✓".repeat(passed)}
          {failed > 0 && <b class="bad">{"✗".repeat(failed)}</b>}
          {unchecked > 0 && <b class="open">{"–".repeat(unchecked)}</b>}
        </span>
      </summary>
      {children}
    </details>
  );
}
