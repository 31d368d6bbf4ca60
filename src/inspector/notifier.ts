/** Tells open pages which flows have changed, by server-sent events: names of flows alone, never what they hold. */

import { HttpFault } from "../http/http_error.ts";
import type { Incoming, Reply } from "../http/message.ts";
import { isFromHere } from "../http/same_origin.ts";

/** Open pages, and what they are told. */
export interface Announcer {
  /** Tells that a flow has changed. */
  announce(flow: string): void;
  /**
   * Answers with a stream.
   *
   * @param origin This server's own origin.
   * @throws {HttpFault} 403 for a script of another site, 503 where too many listen.
   */
  listen(request: Incoming, origin: string): Response;
  /** What {@link Announcer.listen} would answer, without the stream. */
  describe(request: Incoming, origin: string): Reply;
  /** Ends every stream, and begins no other. */
  close(): void;
}

/** As many pages listen at the most. */
const places = 20;

/** As many flows are named at once; where there are more, it is said that all have changed. */
const longest = 200;

/** A connection that says nothing for longer may be taken for dead, in milliseconds. */
const silence = 10_000;

const headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** One open page. */
interface Listener {
  tell(flow: string): void;
  /** Shows that the connection lives. */
  ping(): void;
  end(): void;
}

/** Makes an announcer. */
export function announcer(): Announcer {
  const listeners = new Set<Listener>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let closed = false;

  function join(listener: Listener): void {
    listeners.add(listener);
    timer ??= setInterval(() => listeners.forEach((one) => one.ping()), silence);
  }

  function leave(listener: Listener): void {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function admit(request: Incoming, origin: string): void {
    if (!isFromHere(request, origin)) {
      throw new HttpFault(403, "FL-06", "Only pages of this server are told what changes");
    }
    if (closed || listeners.size >= places) {
      throw new HttpFault(503, "FL-06", `At most ${places} pages are told what changes; close one of them`);
    }
  }

  return {
    announce(flow) {
      for (const listener of listeners) listener.tell(flow);
    },
    listen(request, origin) {
      admit(request, origin);
      return new Response(streamTo(join, leave), { headers });
    },
    describe(request, origin) {
      admit(request, origin);
      return { status: 200, headers, body: null };
    },
    close() {
      closed = true;
      for (const listener of listeners) listener.end();
    },
  };
}

/** A stream that holds no more than what is to be told next, however slowly it is read. */
function streamTo(join: (listener: Listener) => void, leave: (listener: Listener) => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const changed = new Set<string>();
  let listener: Listener;
  let tellWhatChanged = () => {};
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const say = (text: string) => controller.enqueue(encoder.encode(text));
      tellWhatChanged = () => {
        if (changed.size === 0) return;
        say(`${[...changed].map((flow) => `data: ${flow}\n`).join("")}\n`);
        changed.clear();
      };
      listener = {
        tell(flow) {
          if (changed.size >= longest) {
            changed.clear();
            changed.add("all");
          }
          changed.add(flow);
          if (controller.desiredSize! > 0) tellWhatChanged();
        },
        ping: () => controller.desiredSize! > 0 && say(": here\n\n"),
        end() {
          leave(listener);
          controller.close();
        },
      };
      // The page tries again after so many milliseconds when the connection is lost.
      say("retry: 2000\n\n");
      join(listener);
    },
    pull: () => tellWhatChanged(),
    cancel: () => leave(listener),
  });
}
