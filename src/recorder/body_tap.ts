/** Remembers a body while somebody else reads it: never reads ahead, never holds it back, never changes it. */

import type { RequestLike } from "../http/message.ts";
import { maxRecordedBodyChars } from "./exchange.ts";

/** What was heard of a body. */
export interface CapturedBody {
  /** As much as is remembered, as text. */
  readonly text: string;
  /** Whether that is all there was. */
  readonly complete: boolean;
}

/** How a body came to its end: all of it passed by, or it broke off, or whoever read it wanted no more. */
type BodyEnd = "complete" | "aborted" | "cancelled";

/** Hears a body part by part. */
export interface BodyTap {
  push(part: Uint8Array): void;
  end(how: BodyEnd): void;
  /** What came so far; `undefined` while nothing did. */
  captured(): CapturedBody | undefined;
}

/** An ear, and what it does when the body ends. */
export function bodyTap(onEnd: (ending: BodyEnd) => void): BodyTap {
  let parts: Uint8Array[] = [];
  let size = 0;
  let complete = false;
  let captured: CapturedBody | undefined;
  return {
    push(part) {
      const remaining = maxRecordedBodyChars - Math.min(size, maxRecordedBodyChars);
      // A copy, because whoever reads the body may write into what they were given.
      if (remaining > 0) parts.push(part.slice(0, remaining));
      size += part.byteLength;
    },
    end(ending) {
      complete = ending === "complete" && size <= maxRecordedBodyChars;
      captured = size === 0 ? undefined : { text: decode(parts), complete };
      parts = [];
      onEnd(ending);
    },
    captured: () => captured ?? (parts.length === 0 ? undefined : { text: decode(parts), complete }),
  };
}

/** The same request, overheard by whoever reads its body. */
export function tapRequest(request: RequestLike, { push, end }: BodyTap): RequestLike {
  let body: ReadableStream<Uint8Array> | null | undefined;
  return {
    method: request.method,
    url: request.url,
    headers: request.headers,
    get body() {
      if (body === undefined) body = request.body === null ? null : tapStream(request.body, { push, end });
      return body;
    },
    get bodyUsed() {
      return request.bodyUsed;
    },
    async bytes() {
      const bytes = await request.bytes();
      push(bytes);
      end("complete");
      return bytes;
    },
  };
}

/** The same answer, overheard by whoever reads its body. */
export function tapResponse(response: Response, tap: BodyTap): Response {
  return new Response(tapStream(response.body!, tap), response);
}

function tapStream(
  stream: ReadableStream<Uint8Array>,
  { push, end }: Pick<BodyTap, "push" | "end">,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      reader ??= stream.getReader();
      let part: ReadableStreamReadResult<Uint8Array>;
      try {
        part = await reader.read();
      } catch (error) {
        end("aborted");
        throw error;
      }
      if (part.done) {
        // Heard to the end before the reader knows of it: what they do next may build upon it.
        end("complete");
        controller.close();
      } else {
        push(part.value);
        controller.enqueue(part.value as Uint8Array<ArrayBuffer>);
      }
    },
    async cancel(reason) {
      end("cancelled");
      await (reader ?? stream).cancel(reason);
    },
    // Nothing is asked for until somebody asks.
  }, { highWaterMark: 0 });
}

function decode(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
}
