/** What a test run shows while it runs. */

import process from "node:process";

/** The state of a run. */
export interface Progress {
  /** Files on each of their runtimes. */
  readonly files: number;
  readonly filesDone: number;
  readonly tests: number;
  readonly failures: number;
  /** Share of the work that is done, from 0 to 1. */
  readonly share: number;
  readonly elapsedSeconds: number;
}

/** Milliseconds between two lines where the output is no terminal. */
const lineMs = 10_000;

/** Milliseconds between two updates of the line on a terminal. */
const updateMs = 200;

/** One line: files done, tests, failures, time left. */
export function formatProgress({ files, filesDone, tests, failures, share, elapsedSeconds }: Progress): string {
  const counts = `${filesDone} of ${files} files, ${tests} tests, ${failures} failed`;
  if (share <= 0) return counts;
  return `${counts}, about ${Math.ceil(elapsedSeconds * (1 - share) / share)} s left`;
}

/** Lines around a difference that are printed. */
const contextLines = 8;

/** Leaves out what is equal in a long difference: a line with `-` or `+` begins each part that differs. */
export function abridge(details: string): string {
  const lines = details.split("\n");
  const differs = lines.map((line) => /^ {0,4}[-+] /.test(line));
  if (!differs.includes(true)) return details;
  const isNear = (place: number) =>
    differs.slice(Math.max(0, place - contextLines), place + contextLines + 1).includes(true);
  const kept = lines.map((line, place) =>
    isNear(place) || place < contextLines || place >= lines.length - contextLines ? line : undefined
  );
  return kept.flatMap((line, place) => line !== undefined ? [line] : kept[place - 1] !== undefined ? ["    …"] : [])
    .join("\n");
}

/** What a run has on the screen. */
export interface ProgressDisplay {
  /** Prints text above the line. */
  readonly print: (text: string) => void;
  /** Removes the line, and shows nothing more. */
  readonly close: () => void;
}

/** Shows progress: on a terminal one line that changes, elsewhere a line every ten seconds. */
export function showProgress(getProgress: () => Progress): ProgressDisplay {
  const { stdout } = process;
  const clear = () => stdout.isTTY && stdout.write("\r\x1b[K");
  const show = () => {
    const line = formatProgress(getProgress());
    if (!stdout.isTTY) return console.log(line);
    clear();
    stdout.write(line.slice(0, stdout.columns - 1));
  };
  const timer = setInterval(show, stdout.isTTY ? updateMs : lineMs);
  return {
    print(text) {
      clear();
      console.log(text);
    },
    close() {
      clearInterval(timer);
      clear();
    },
  };
}
