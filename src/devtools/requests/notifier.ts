/** Notifies open pages of changed flows by server-sent events. Events carry IDs of flows, never their content. */

import { HttpError, type HttpRequest, type HttpResponse } from "../../core/http/message.ts";
import { isSameOrigin } from "../../server/pages/same_origin.ts";
import { type Timer, timers } from "../../core/http/timers.ts";

/** Notifies open pages of changed flows. */
export type Notifier = ReturnType<typeof notifier>;

/** Maximum number of open streams. */
const maxListeners = 20;

/** Maximum number of flows named in one event; beyond it, the event says `all`. */
const maxChangedFlows = 200;

/** Minimum time between two events of a stream, in milliseconds. What changes in between waits for the second one. */
const minIntervalMs = 50;

/** Interval of keep-alive comments, in milliseconds; proxies close silent connections. */
const pingIntervalMs = 10_000;

const headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** One open stream. */
interface Listener {
  notify(flow: string): void;
  /** Sends a keep-alive comment. */
  ping(): void;
  close(): void;
}

/**
 * Creates a notifier.
 *
 * @param subscribe Starts to report changed flows, when a first stream opens. Returns the function that ends it, called
 *   when the last stream closes: while no page is open, nothing is computed for pages.
 */
export function notifier(subscribe: (notify: (flow: string) => void) => () => void) {
  const listeners = new Set<Listener>();
  let unsubscribe = () => {};
  let timer: Timer | undefined;
  let closed = false;

  function addListener(listener: Listener): void {
    listeners.add(listener);
    if (listeners.size > 1) return;
    timer = timers.setInterval(() => listeners.forEach((member) => member.ping()), pingIntervalMs);
    unsubscribe = subscribe((flow) => listeners.forEach((member) => member.notify(flow)));
  }

  function removeListener(listener: Listener): void {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    timers.clearInterval(timer);
    unsubscribe();
  }

  function assertAllowed(request: HttpRequest, origin: string): void {
    if (!isSameOrigin(request, origin)) {
      throw new HttpError(403, "FL-06", "Only pages of this server may listen for changes");
    }
    if (closed || listeners.size >= maxListeners) {
      throw new HttpError(503, "FL-06", `At most ${maxListeners} pages may listen for changes; close one of them`);
    }
  }

  return {
    /**
     * Responds with a stream of events.
     *
     * @param origin This server's own origin.
     * @throws {HttpError} 403 for a script of another origin, 503 when too many pages listen.
     */
    openStream(request: HttpRequest, origin: string): Response {
      assertAllowed(request, origin);
      return new Response(eventStream(addListener, removeListener), { headers });
    },
    /** The response to HEAD: that of `openStream` without the stream. */
    headResponse(request: HttpRequest, origin: string): HttpResponse {
      assertAllowed(request, origin);
      return { status: 200, headers, body: null };
    },
    /** Ends all streams and rejects new ones. */
    close(): void {
      closed = true;
      for (const listener of listeners) listener.close();
    },
  };
}

/** A stream that buffers at most one event for a slow reader. */
function eventStream(
  addListener: (listener: Listener) => void,
  removeListener: (listener: Listener) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const changed = new Set<string>();
  let listener: Listener;
  let flush = () => {};
  let interval: Timer | undefined;
  const remove = () => {
    timers.clearTimeout(interval);
    removeListener(listener);
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string) => controller.enqueue(encoder.encode(text));
      flush = () => {
        if (changed.size === 0 || interval !== undefined || controller.desiredSize! <= 0) return;
        send(`${[...changed].map((flow) => `data: ${flow}\n`).join("")}\n`);
        changed.clear();
        interval = timers.setTimeout(() => {
          interval = undefined;
          flush();
        }, minIntervalMs);
      };
      listener = {
        notify(flow) {
          if (changed.size >= maxChangedFlows) {
            changed.clear();
            changed.add("all");
          }
          changed.add(flow);
          flush();
        },
        ping: () => controller.desiredSize! > 0 && send(": here\n\n"),
        close() {
          remove();
          controller.close();
        },
      };
      // The page reconnects after this many milliseconds.
      send("retry: 2000\n\n");
      addListener(listener);
    },
    pull: () => flush(),
    cancel: remove,
  });
}
