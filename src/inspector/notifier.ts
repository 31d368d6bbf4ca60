/** Tells open pages which flows have changed, by server-sent events: names of flows alone, never what they hold. */

import { HttpError } from "../http/http_error.ts";
import type { HttpResponse, RequestLike } from "../http/message.ts";
import { isSameOrigin } from "../http/same_origin.ts";

/** Open pages, and what they are told. */
export interface Notifier {
  /** Tells that a flow has changed. */
  notify(flow: string): void;
  /**
   * Answers with a stream.
   *
   * @param origin This server's own origin.
   * @throws {HttpError} 403 for a script of another site, 503 where too many listen.
   */
  openStream(request: RequestLike, origin: string): Response;
  /** What {@link Notifier.openStream} would answer, without the stream. */
  headResponse(request: RequestLike, origin: string): HttpResponse;
  /** Ends every stream, and begins no other. */
  close(): void;
}

/** As many pages listen at the most. */
const maxListeners = 20;

/** As many flows are named at once; where there are more, it is said that all have changed. */
const maxChangedFlows = 200;

/** A connection that says nothing for longer may be taken for dead, in milliseconds. */
const pingIntervalMs = 10_000;

const headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** One open page. */
interface Listener {
  notify(flow: string): void;
  /** Shows that the connection lives. */
  ping(): void;
  close(): void;
}

/** Makes an announcer. */
export function notifier(): Notifier {
  const listeners = new Set<Listener>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let closed = false;

  function addListener(listener: Listener): void {
    listeners.add(listener);
    timer ??= setInterval(() => listeners.forEach((member) => member.ping()), pingIntervalMs);
  }

  function removeListener(listener: Listener): void {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function assertAllowed(request: RequestLike, origin: string): void {
    if (!isSameOrigin(request, origin)) {
      throw new HttpError(403, "FL-06", "Only pages of this server are told what changes");
    }
    if (closed || listeners.size >= maxListeners) {
      throw new HttpError(503, "FL-06", `At most ${maxListeners} pages are told what changes; close one of them`);
    }
  }

  return {
    notify(flow) {
      for (const listener of listeners) listener.notify(flow);
    },
    openStream(request, origin) {
      assertAllowed(request, origin);
      return new Response(eventStream(addListener, removeListener), { headers });
    },
    headResponse(request, origin) {
      assertAllowed(request, origin);
      return { status: 200, headers, body: null };
    },
    close() {
      closed = true;
      for (const listener of listeners) listener.close();
    },
  };
}

/** A stream that holds no more than what is to be told next, however slowly it is read. */
function eventStream(
  addListener: (listener: Listener) => void,
  removeListener: (listener: Listener) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const changed = new Set<string>();
  let listener: Listener;
  let flush = () => {};
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string) => controller.enqueue(encoder.encode(text));
      flush = () => {
        if (changed.size === 0) return;
        send(`${[...changed].map((flow) => `data: ${flow}\n`).join("")}\n`);
        changed.clear();
      };
      listener = {
        notify(flow) {
          if (changed.size >= maxChangedFlows) {
            changed.clear();
            changed.add("all");
          }
          changed.add(flow);
          if (controller.desiredSize! > 0) flush();
        },
        ping: () => controller.desiredSize! > 0 && send(": here\n\n"),
        close() {
          removeListener(listener);
          controller.close();
        },
      };
      // The page tries again after so many milliseconds when the connection is lost.
      send("retry: 2000\n\n");
      addListener(listener);
    },
    pull: () => flush(),
    cancel: () => removeListener(listener),
  });
}
