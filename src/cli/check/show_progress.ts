/** The progress of a running check, on standard error. */

import { printable } from "../../core/http/quote_value.ts";
import type { AttackResult } from "../../check/report.ts";

/** Milliseconds between two lines of progress; in a terminal each one replaces the last. */
const intervalMs = { terminal: 1000, other: 10_000 };

/** How long a journey may take before the progress says so, in milliseconds. */
const longJourneyMs = 5000;

/** How long the rest of a check must take before the progress reports it, in minutes. */
const longRest = 10;

/** How many logins must have ended before the progress estimates the time that is left. */
const minDone = 20;

/** Shows how many journeys have ended, and which one is running for how long. Each failure gets its own line. */
export interface Progress {
  /** Notes the attack that runs now. */
  start(attackId: string): void;
  /** Says why the check waits, and for how long in milliseconds. */
  wait(because: string, milliseconds: number): void;
  show(result: AttackResult, total: number): void;
  /** Shows the progress, if it is time. A timer calls it, because a journey may take minutes. */
  tick(): void;
  /** Clears the progress in a terminal; elsewhere, writes the final counts. Nothing is written after it. */
  end(): void;
}

/**
 * Creates the progress.
 *
 * @param write Writes without a newline.
 * @param formatId The id of an attack, with its parameters.
 * @param now The clock, in milliseconds.
 * @param noun What one journey is called. Default: a login.
 */
export function showProgress(
  isTerminal: boolean,
  write: (text: string) => void,
  formatId: (id: string, values: AttackResult["values"]) => string,
  now: () => number,
  noun = "login",
): Progress {
  const clear = isTerminal ? "\r\u001b[K" : "";
  let [done, total, failed, skipped] = [0, 0, 0, 0];
  let hasEnded = false;
  let running = { id: "", since: now() };
  const startedAt = now();
  let shownAt = isTerminal ? -Infinity : startedAt;

  function counts(): string {
    const notShown = skipped === 0 ? "" : `, ${skipped} skipped`;
    const elapsedMs = now() - startedAt;
    // One login that hangs takes as long as many others, so the estimate is rounded to five minutes.
    const minutes = 5 * Math.round(elapsedMs / done * (total - done) / 300_000);
    const rest = done < minDone || minutes < longRest
      ? ""
      : `, about ${minutes} min left (--minutes ends it earlier, the most severe come first)`;
    return `${done} of ${total} ${total === 1 ? noun : `${noun}s`} done, ${failed} failed${notShown}, after ` +
      `${formatDuration(elapsedMs)}${rest}`;
  }

  function tick(): void {
    if (hasEnded || total === 0 || now() - shownAt < intervalMs[isTerminal ? "terminal" : "other"]) return;
    shownAt = now();
    const runningMs = now() - running.since;
    const current = runningMs < longJourneyMs ? running.id : `${running.id} for ${formatDuration(runningMs)}`;
    write(`${clear}${counts()} · ${current}${isTerminal ? "" : "\n"}`);
  }

  return {
    tick,
    wait(because, milliseconds) {
      if (!hasEnded) write(`${clear}Waiting ${formatDuration(milliseconds)}: ${printable(because)}\n`);
    },
    start: (id) => running = { id, since: now() },
    show(result, of) {
      if (hasEnded) return;
      const { attack, values, verdict, because } = result;
      done++;
      total = of;
      if (verdict === "skipped") skipped++;
      if (verdict === "failed") failed++;
      if (verdict === "failed" || verdict === "warning") {
        write(
          `${clear}${verdict === "failed" ? "✗" : "!"} ${formatId(attack.id, values)}: ${printable(because)}\n`,
        );
      }
      tick();
    },
    end() {
      if (!hasEnded) write(isTerminal ? clear : total === 0 ? "" : `${counts()}\n`);
      hasEnded = true;
    },
  };
}

/** `40 s` or `4 min 10 s`. */
function formatDuration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
