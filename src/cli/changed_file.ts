/** Notices that the configuration file was changed after the start: the likely reason why a client is unknown. */

import type { ConfigurationWarning } from "../core/rules/configuration_error.ts";
import type { TraceEvent } from "../server/trace.ts";
import { printable } from "../core/http/quote_value.ts";

/** Minimum time between two readings, in milliseconds: any client can send an unknown client. */
const minPauseMs = 1000;

/** The configuration file as the server read it. */
export interface ReadFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Returns a listener of events: after a request of an unknown client it reads the file again, and warns once of each
 * change.
 */
export function warnOfChangedFile(
  file: ReadFile,
  { readTextFile, now }: { readTextFile(path: string): Promise<string>; now(): number },
  warn: (warning: ConfigurationWarning) => void,
): (event: TraceEvent) => void {
  let known = file.text;
  let lastReadAt = -Infinity;

  async function read(): Promise<void> {
    const text = await readTextFile(file.path).catch(() => known);
    if (text === known) return;
    known = text;
    if (text === file.text) return;
    warn({
      path: printable(file.path),
      message: "The file was changed after the start, and a request names an unknown client. Restart the server to " +
        "read the file again.",
    });
  }

  return (event) => {
    if (event.type !== "rejected" || event.explanation.change?.isNew !== true) return;
    if (Math.abs(now() - lastReadAt) < minPauseMs) return;
    lastReadAt = now();
    void read();
  };
}
