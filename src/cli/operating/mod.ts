/**
 * Plugins for operators, in the order of the command line, outermost first:
 *
 * 1. `limitConcurrency` rejects requests above a limit.
 * 2. `logging` writes events and requests, with redacted values.
 * 3. `health` adds `/healthz` and `/readyz`.
 *
 * The events come from `server/trace.ts`, the plugin interface from `server/hosting/options.ts`.
 *
 * @example A server as the command line runs it
 * ```ts ignore
 * import { latchkey } from "@latchkey/latchkey";
 * import { health, limitConcurrency, logging } from "@latchkey/latchkey/operating";
 *
 * const log = logging({ write: console.error, format: "json" });
 * const as = await latchkey({ plugins: [limitConcurrency(), log, health()] });
 * ```
 *
 * @module
 */

export { limitConcurrency } from "./limit_concurrency.ts";
export { logging } from "./logging.ts";
export { health } from "./health.ts";
export type { Health } from "./health.ts";
