/**
 * Writes the lines of a log in their order. Successes in a text log are batched: several lines in one write, and only a
 * count if there are many.
 */

import { type Timer, timers } from "../../core/http/timers.ts";
import type { TraceEvent } from "../../server/trace.ts";

/** Milliseconds for which a line may wait for others. */
const batchMs = 50;

/** The period in which lines are limited, in milliseconds of real time. */
const periodMs = 1000;

/** Maximum number of lines of a period; further events are counted. */
const maxLines = 20;

/** Maximum number of clients that are counted apart. */
const maxCounts = 20;

/** How many events of a kind a client had. */
export interface EventCount {
  readonly what: string;
  readonly client?: string;
  count: number;
}

/** Lines that are not written yet. */
export interface LineBatch {
  /** Adds a line of a success, formatted when it is written, or only counts the event by its redacted client. */
  add(event: TraceEvent, format: () => string | undefined, redact: (text: string) => string): void;
  /** Writes a line after the waiting ones. */
  write(line: string): void;
  /** Writes the waiting lines and the counts. */
  flush(): void;
}

const countedNames: Readonly<Partial<Record<TraceEvent["type"], string>>> = {
  code_issued: "logins",
  tokens_issued: "token responses",
};

/** Creates an empty batch. `formatCounts` makes the line that follows the lines of a period. */
export function lineBatch(
  write: (text: string) => void,
  formatCounts: (at: number, counts: readonly EventCount[]) => string,
): LineBatch {
  let waiting: (() => string | undefined)[] = [];
  const counts = new Map<string, EventCount>();
  let lastAt = 0;
  let periodStart = -Infinity;
  let lines = 0;
  let timer: Timer | undefined;

  const isPeriodOver = () => timers.elapsed() - periodStart >= periodMs;

  function count({ type, at, ...event }: TraceEvent, redact: (text: string) => string): void {
    const what = countedNames[type] ?? "other events";
    const named = "client" in event ? event.client : undefined;
    const client = counts.size < maxCounts ? named : undefined;
    const key = JSON.stringify([what, client]);
    const counted = counts.get(key);
    if (counted === undefined) counts.set(key, { what, client: client && redact(client), count: 1 });
    else counted.count++;
    lastAt = at;
  }

  function writeLines(): void {
    if (waiting.length === 0) return;
    const formats = waiting;
    waiting = [];
    const texts = formats.flatMap((format) => format() ?? []);
    if (texts.length > 0) write(texts.join("\n"));
  }

  function writeCounts(): void {
    if (counts.size === 0) return;
    write(formatCounts(lastAt, [...counts.values()]));
    counts.clear();
  }

  function writeDue(): void {
    timer = undefined;
    writeLines();
    if (isPeriodOver()) writeCounts();
    else if (counts.size > 0) timer = timers.setTimeout(writeDue, batchMs);
  }

  return {
    add(event, format, redact) {
      if (isPeriodOver()) {
        writeLines();
        writeCounts();
        periodStart = timers.elapsed();
        lines = 0;
      }
      if (++lines <= maxLines) waiting.push(format);
      else count(event, redact);
      timer ??= timers.setTimeout(writeDue, batchMs);
    },
    write(line) {
      writeLines();
      write(line);
    },
    flush() {
      timers.clearTimeout(timer);
      timer = undefined;
      writeLines();
      writeCounts();
    },
  };
}
