/** Events: each reaches every plugin and the trace of the embedding program once. */

import type { Context } from "../app/context.ts";
import type { Plugin } from "../app/plugin.ts";
import type { RegisteredSecrets } from "../oauth/clients/registered_secrets.ts";
import { redactEvent } from "../oauth/trace.ts";
import type { Trace, TraceEvent } from "../oauth/trace.ts";

/** Passes an event on; `context` is the request that it is part of. It never throws. */
export type EmitEvent = (event: TraceEvent, context?: Context) => void;

/**
 * Makes the function that passes events on: to the plugins in their order, then redacted to `trace`.
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
    listeners.push((event) =>
      trace(event.type === "rejected" || event.type === "warning" ? redactEvent(event, getRegisteredSecrets()) : event)
    );
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
