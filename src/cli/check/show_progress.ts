/** The progress of a running check, on standard error. */

import { printable } from "../../server/config/config_issue.ts";
import type { AttackResult } from "../../check/report.ts";

/** Milliseconds between two lines of progress; in a terminal each one replaces the last. */
const intervalMs = { terminal: 1000, other: 10_000 };

/** How long a journey may take before the progress says so, in milliseconds. */
const longJourneyMs = 5000;

/** Shows how many journeys have ended, and which one is running for how long. Each failure gets its own line. */
export interface Progress {
  /** Notes the attack that runs now. */
  start(attackId: string): void;
  /** Notes a result. */
  show(result: AttackResult, total: number): void;
  /** Shows the progress, if it is time. A timer calls it, because a journey may take minutes. */
  tick(): void;
  /** Clears the progress in a terminal; elsewhere, writes the final counts. */
  end(): void;
}

/**
 * Creates the progress.
 *
 * @param write Writes without a newline.
 * @param formatId The id of an attack, with its parameters.
 * @param now The clock, in milliseconds.
 */
export function showProgress(
  isTerminal: boolean,
  write: (text: string) => void,
  formatId: (id: string, values: AttackResult["values"]) => string,
  now: () => number,
): Progress {
  const clear = isTerminal ? "\r\u001b[K" : "";
  let [done, total, failed, inconclusive] = [0, 0, 0, 0];
  let running = { id: "", since: now() };
  const startedAt = now();
  let shownAt = isTerminal ? -Infinity : startedAt;

  function counts(): string {
    const unclear = inconclusive === 0 ? "" : `, ${inconclusive} inconclusive`;
    const elapsed = `after ${formatDuration(now() - startedAt)}`;
    return `${done} of ${total} ${total === 1 ? "journey" : "journeys"}, ${failed} failed${unclear}, ${elapsed}`;
  }

  function tick(): void {
    if (total === 0 || now() - shownAt < intervalMs[isTerminal ? "terminal" : "other"]) return;
    shownAt = now();
    const runningMs = now() - running.since;
    const current = runningMs < longJourneyMs ? running.id : `${running.id} for ${formatDuration(runningMs)}`;
    write(`${clear}${counts()} · ${current}${isTerminal ? "" : "\n"}`);
  }

  return {
    tick,
    start: (id) => running = { id, since: now() },
    show(result, of) {
      const { attack, values, verdict, because } = result;
      done++;
      total = of;
      if (verdict === "inconclusive") inconclusive++;
      if (verdict === "failed") failed++;
      if (verdict === "failed" || verdict === "warning") {
        write(
          `${clear}${verdict === "failed" ? "✗" : "!"} ${formatId(attack.id, values)}: ${printable(because)}\n`,
        );
      }
      tick();
    },
    end: () => write(isTerminal ? clear : total === 0 ? "" : `${counts()}\n`),
  };
}

/** `40 s` or `4 min 10 s`. */
function formatDuration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
