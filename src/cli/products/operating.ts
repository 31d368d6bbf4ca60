/** What those who run the server need: limits, the log, probes, and warnings about a changed file. */

import { warnOfChangedFile } from "../changed_file.ts";
import { health } from "../operating/health.ts";
import { limitConcurrency } from "../operating/limit_concurrency.ts";
import { logging } from "../operating/logging.ts";
import { addPlugins, type Product, reportWarning } from "./program.ts";

export const withLimits: Product = (program) =>
  addPlugins(program, limitConcurrency({ maxInFlight: program.config.maxInFlight }));

export const withLog: Product = (program) => {
  const { config: { log: format, isLogChosen }, environment } = program;
  if (format === "off") return program;
  const { env, isTerminal, terminalWidth, writeLogLine } = environment;
  const log = logging({
    write: writeLogLine,
    format,
    // Outside of a terminal, successes are written only if the format was chosen.
    verbose: isTerminal || isLogChosen,
    terminal: isTerminal ? () => ({ colors: !env.NO_COLOR, width: terminalWidth(), localTime: true }) : undefined,
  });
  return { ...addPlugins(program, log), log };
};

export const withHealthCheck: Product = (program) => {
  const healthCheck = health();
  return { ...addPlugins(program, healthCheck), healthCheck };
};

export const withChangedFile: Product = (program) => {
  const { config: { file }, environment } = program;
  if (file === undefined) return program;
  const onEvent = warnOfChangedFile(file, environment, (warning) => reportWarning(program, warning));
  return addPlugins(program, { onEvent });
};
