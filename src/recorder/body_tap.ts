/** Captures a body while its reader reads it. It never reads ahead, and never delays or changes the body. */

import { peekedText } from "../http/form.ts";
import type { RequestLike } from "../http/message.ts";
import { maxRecordedBodyChars } from "./exchange.ts";

/** The captured part of a body. */
export interface CapturedBody {
  /** The text, at most {@link maxRecordedBodyChars} bytes of it. */
  readonly text: string;
  /** Whether this is the whole body. */
  readonly complete: boolean;
}

/** How a body ended: completely, by an error of its source, or cancelled by its reader. */
type BodyEnd = "complete" | "aborted" | "cancelled";

/** Captures a body part by part. */
export interface BodyTap {
  push(part: Uint8Array): void;
  /** The whole body as one part, and its end. */
  pushAll(body: Uint8Array): void;
  end(how: BodyEnd): void;
  /** The part captured so far; `undefined` before the first byte. */
  captured(): CapturedBody | undefined;
}

/** Creates a tap, which calls `onEnd` at the end of the body. */
export function bodyTap(onEnd: (ending: BodyEnd) => void): BodyTap {
  let parts: Uint8Array[] = [];
  let size = 0;
  let complete = false;
  let captured: CapturedBody | undefined;
  return {
    pushAll(body) {
      size = body.byteLength;
      complete = size <= maxRecordedBodyChars;
      captured = size === 0 ? undefined : { text: decode([body.subarray(0, maxRecordedBodyChars)]), complete };
      onEnd("complete");
    },
    push(part) {
      const remaining = maxRecordedBodyChars - Math.min(size, maxRecordedBodyChars);
      // A copy, because the reader may overwrite its chunk.
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

/** The same request, with a tap on its body if it may have one. */
export function tapRequest(request: RequestLike, tap: BodyTap | undefined): RequestLike {
  return tap === undefined ? request : new TappedRequest(request, tap);
}

/** A class, because creating an object literal with a getter takes several times as long. */
class TappedRequest implements RequestLike {
  readonly original: RequestLike;
  readonly method: string;
  readonly url: string;
  readonly headers: RequestLike["headers"];
  readonly #tap: BodyTap;
  #body: ReadableStream<Uint8Array> | null | undefined;

  constructor(request: RequestLike, tap: BodyTap) {
    this.original = request;
    this.method = request.method;
    this.url = request.url;
    this.headers = request.headers;
    this.#tap = tap;
  }

  get body(): ReadableStream<Uint8Array> | null {
    if (this.#body === undefined) {
      const { body } = this.original;
      this.#body = body === null ? null : tapStream(body, this.#tap);
    }
    return this.#body;
  }

  get bodyUsed(): boolean {
    return this.original.bodyUsed;
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = await this.original.bytes();
    this.#tap.pushAll(bytes);
    return bytes;
  }
}

/** The same response, with a tap on its body. */
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
        // Ends before the stream closes: the reader's next request may depend on the recorded response.
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
    // Without a queue, so that the tap never reads ahead.
  }, { highWaterMark: 0 });
}

/** Decodes complete texts, without state between calls. */
const wholeDecoder = new TextDecoder();

function decode(parts: readonly Uint8Array[]): string {
  if (parts.length === 1) return wholeDecoder.decode(parts[0]);
  const decoder = new TextDecoder();
  return parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
}

/** The received part of a body. The tap sees no part of a form that a plugin around this one has read. */
export async function receivedBody(request: RequestLike, tap: BodyTap | undefined): Promise<CapturedBody | undefined> {
  const peeked = tap && peekedText(request);
  if (peeked === undefined) return tap?.captured();
  try {
    return { text: await peeked, complete: true };
  } catch {
    return undefined;
  }
}
