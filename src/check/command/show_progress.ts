/** The progress of a running check, on standard error. */

import { printable } from "../../server/config/config_issue.ts";
import type { CheckResult } from "../report.ts";

/** Number of journeys between two lines, if the output is not a terminal. */
const journeysPerLine = 50;

/** Milliseconds after which a line is printed in any case, and the remaining time is estimated. */
const lineIntervalMs = 30_000;
const minMeasuredMs = 10_000;

/**
 * Shows each result: in a terminal in one line that is replaced, elsewhere every fifty journeys or thirty seconds. Each
 * failure gets its own line.
 *
 * @param write Writes without a newline.
 * @param formatId The id of an attack, with its parameters.
 * @param now The clock, in milliseconds.
 */
export function showProgress(
  isTerminal: boolean,
  write: (text: string) => void,
  formatId: (result: CheckResult) => string,
  now: () => number,
) {
  const clear = isTerminal ? "\r\u001b[K" : "";
  let done = 0;
  let failed = 0;
  let inconclusive = 0;
  const startedAt = now();
  let shownAt = startedAt;
  return {
    show(result: CheckResult, total: number): void {
      const { attack: { id }, verdict, because } = result;
      done++;
      if (verdict === "inconclusive") inconclusive++;
      if (verdict === "failed" || verdict === "warning") {
        failed += verdict === "failed" ? 1 : 0;
        write(`${clear}${verdict === "failed" ? "✗" : "!"} ${formatId(result)}: ${printable(because)}\n`);
      }
      const elapsed = now() - startedAt;
      const left = elapsed < minMeasuredMs || done === total
        ? ""
        : `, about ${formatDuration((elapsed / done) * (total - done))} left`;
      const unclear = inconclusive === 0 ? "" : `, ${inconclusive} inconclusive`;
      const counts = `${done} of ${total} ${total === 1 ? "journey" : "journeys"}, ${failed} failed${unclear}${left}`;
      if (isTerminal) return write(`${clear}${counts} · ${id}`);
      if (done % journeysPerLine !== 0 && done !== total && now() - shownAt < lineIntervalMs) return;
      shownAt = now();
      write(`${counts}\n`);
    },
    /** Removes the last line. */
    end: () => write(clear),
  };
}

/** `40 s` or `4 min`, rounded up. */
function formatDuration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 10_000) * 10;
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
