/**
 * Plugins for operators, in the order of the command line, outermost first:
 *
 * 1. `limitConcurrency` rejects requests above a limit.
 * 2. `logging` writes events and requests, with redacted values.
 * 3. `metrics` counts them for Prometheus; `telemetry` makes OpenTelemetry spans.
 * 4. `health` adds `/healthz` and `/readyz`.
 *
 * The events come from `server/trace.ts`, the plugin interface from `server/hosting/options.ts`.
 *
 * @example A server as the command line runs it
 * ```ts ignore
 * import { latchkey } from "@latchkey/latchkey";
 * import { health, limitConcurrency, logging, metrics } from "@latchkey/latchkey/operating";
 *
 * const log = logging({ write: console.error, format: "json" });
 * const counted = metrics();
 * const as = await latchkey({ plugins: [limitConcurrency(), log, counted, health()] });
 * ```
 *
 * @module
 */

export { limitConcurrency } from "./limit_concurrency.ts";
export { logging } from "./logging.ts";
export { metrics } from "./metrics.ts";
export type { Metrics } from "./metrics.ts";
export { telemetry } from "./telemetry.ts";
export { health } from "./health.ts";
export type { Health } from "./health.ts";
