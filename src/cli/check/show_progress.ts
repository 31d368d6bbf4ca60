/** What a check shows while it runs, on standard error. */

import { printable } from "../../oauth/config/config_issue.ts";
import type { CheckResult } from "../../testing/check/report.ts";

/** Journeys between two lines, where the output is no terminal. */
const journeysPerLine = 50;

/**
 * Shows each result: in a terminal in one line that is replaced, elsewhere every fifty journeys. What failed keeps a line
 * of its own.
 *
 * @param write Writes without a newline.
 * @param formatId The id of an attack, with its parameters.
 */
export function showProgress(
  isTerminal: boolean,
  write: (text: string) => void,
  formatId: (result: CheckResult) => string,
) {
  const clear = isTerminal ? "\r\u001b[K" : "";
  let done = 0;
  let failed = 0;
  return {
    show(result: CheckResult, total: number): void {
      const { attack: { id }, verdict, because } = result;
      done++;
      if (verdict === "failed" || verdict === "warning") {
        failed += verdict === "failed" ? 1 : 0;
        write(`${clear}${verdict === "failed" ? "✗" : "!"} ${formatId(result)}: ${printable(because)}\n`);
      }
      const counts = `${done} of ${total} ${total === 1 ? "journey" : "journeys"}, ${failed} failed`;
      if (isTerminal) write(`${clear}${counts} · ${id}`);
      else if (done % journeysPerLine === 0 || done === total) write(`${counts}\n`);
    },
    /** Removes the last line. */
    end: () => write(clear),
  };
}
