/** Passes each event once to every plugin and once to the trace of the embedding program. */

import type { Context } from "../app/context.ts";
import type { Plugin } from "../app/plugin.ts";
import type { RegisteredSecrets } from "../oauth/clients/registered_secrets.ts";
import { redactEvent } from "../oauth/redact.ts";
import type { Trace, TraceEvent } from "../oauth/trace.ts";

/** Emits an event; `context` is the request of the event. It never throws. */
export type EmitEvent = (event: TraceEvent, context?: Context) => void;

/**
 * Creates the function that emits events: to the plugins in their order, then redacted to `trace`.
 *
 * @param getRegisteredSecrets Returns the secrets to redact.
 */
export function eventEmitter(
  plugins: readonly Plugin[],
  trace: Trace | undefined,
  getRegisteredSecrets: () => RegisteredSecrets,
): EmitEvent {
  const listeners: EmitEvent[] = plugins.flatMap((plugin) =>
    plugin.onEvent === undefined ? [] : [(event: TraceEvent, context?: Context) => plugin.onEvent!(event, context)]
  );
  if (trace !== undefined) {
    listeners.push((event) => trace("explanation" in event ? redactEvent(event, getRegisteredSecrets()) : event));
  }
  return (event, context) => {
    for (const listener of listeners) {
      try {
        listener(event, context);
      } catch {
        // A listener must not break the server.
      }
    }
  };
}
