/**
 * What operators lay around a server: limits, health, logs, metrics, spans. Each is a `Layer`; the order below is the one
 * in which the command line lays them, outermost first.
 *
 * @example A server as the command line runs it
 * ```ts ignore
 * import { latchkey } from "@latchkey/latchkey";
 * import { health, limitConcurrency, logging, metrics } from "@latchkey/latchkey/operating";
 *
 * const log = logging({ write: console.error, format: "json" });
 * const counted = metrics();
 * const as = await latchkey({
 *   plugins: [limitConcurrency(), log, counted, health()],
 *   trace(event) {
 *     log.trace(event);
 *     counted.trace(event);
 *   },
 * });
 * ```
 *
 * @module
 */

export { limitConcurrency } from "./limit_concurrency.ts";
export type { ConcurrencyLimitOptions } from "./limit_concurrency.ts";
export { logging } from "./logging.ts";
export type { Logging, LoggingOptions } from "./logging.ts";
export { metrics } from "./metrics.ts";
export type { Metrics } from "./metrics.ts";
export { telemetry } from "./telemetry.ts";
export type { Span, TelemetryOptions, Tracer } from "./telemetry.ts";
export { health } from "./health.ts";
export type { Health, HealthOptions } from "./health.ts";
