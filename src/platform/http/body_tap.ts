/** Captures a body while its reader reads it. It never reads ahead, and never delays or changes the body. */

import { bodyTexts } from "../../core/http/form.ts";
import { findForRequest, type HttpRequest } from "../../core/http/message.ts";

/** The maximum size of a captured body, in bytes. */
export const maxCapturedBodyBytes = 64 * 1024;

export interface CapturedBody {
  /** The text, at most {@link maxCapturedBodyBytes} bytes of it. */
  readonly text: string;
  /** Whether this is the whole body. */
  readonly complete: boolean;
}

/** How a body ended: completely, by an error of its source, or cancelled by its reader. */
type BodyEnd = "complete" | "aborted" | "cancelled";

/** Captures a body part by part, and calls `onEnd` at its end. It decodes the text when it is asked for. */
export class BodyTap {
  #parts: Uint8Array[] = [];
  #size = 0;
  #complete = false;
  #captured: CapturedBody | undefined;
  readonly #onEnd: ((ending: BodyEnd) => void) | undefined;

  constructor(onEnd?: (ending: BodyEnd) => void) {
    this.#onEnd = onEnd;
  }

  push(part: Uint8Array): void {
    const remaining = maxCapturedBodyBytes - Math.min(this.#size, maxCapturedBodyBytes);
    // A copy, because the reader may overwrite its chunk.
    if (remaining > 0) this.#parts.push(part.slice(0, remaining));
    this.#size += part.byteLength;
  }

  /** The whole body as one part, and its end. The reader must not overwrite it. */
  pushAll(body: Uint8Array): void {
    this.#size = body.byteLength;
    this.#parts = [body.subarray(0, maxCapturedBodyBytes)];
    this.end("complete");
  }

  end(ending: BodyEnd): void {
    this.#complete = ending === "complete" && this.#size <= maxCapturedBodyBytes;
    this.#onEnd?.(ending);
  }

  /** The part captured so far; `undefined` before the first byte. */
  captured(): CapturedBody | undefined {
    if (this.#size === 0) return undefined;
    if (this.#captured?.complete) return this.#captured;
    this.#captured = { text: decode(this.#parts), complete: this.#complete };
    if (this.#complete) this.#parts = [];
    return this.#captured;
  }
}

/** Whether a request may have a body, by its method (Fetch §5.3). */
export function mayHaveBody({ method }: Pick<HttpRequest, "method">): boolean {
  return method !== "GET" && method !== "HEAD";
}

/** A request with a tap on its body, if it may have one. */
export class TappedRequest implements HttpRequest {
  readonly original: HttpRequest;
  readonly method: string;
  readonly url: string;
  readonly headers: HttpRequest["headers"];
  readonly tap: BodyTap | undefined;
  #body: ReadableStream<Uint8Array> | null | undefined;

  constructor(request: HttpRequest, tap: BodyTap | undefined) {
    this.original = request;
    this.method = request.method;
    this.url = request.url;
    this.headers = request.headers;
    this.tap = tap;
  }

  get body(): ReadableStream<Uint8Array> | null {
    if (this.#body === undefined) {
      const { body } = this.original;
      this.#body = body === null || this.tap === undefined ? body : tapStream(body, this.tap);
    }
    return this.#body;
  }

  get bodyUsed(): boolean {
    return this.original.bodyUsed;
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = await this.original.bytes();
    this.tap?.pushAll(bytes);
    return bytes;
  }
}

/** The same response, with a tap on its body. */
export function tapResponse(response: Response, tap: BodyTap): Response {
  return new Response(tapStream(response.body!, tap), response);
}

function tapStream(stream: ReadableStream<Uint8Array>, tap: BodyTap): ReadableStream<Uint8Array<ArrayBuffer>> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      reader ??= stream.getReader();
      let part: ReadableStreamReadResult<Uint8Array>;
      try {
        part = await reader.read();
      } catch (error) {
        tap.end("aborted");
        throw error;
      }
      if (part.done) {
        // Ends before the stream closes: the reader's next request may depend on the recorded response.
        tap.end("complete");
        controller.close();
      } else {
        tap.push(part.value);
        controller.enqueue(part.value as Uint8Array<ArrayBuffer>);
      }
    },
    async cancel(reason) {
      tap.end("cancelled");
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

/**
 * The received part of the body of a request. The tap sees no part of a form that a plugin around this one has read;
 * then it is a promise.
 */
export function receivedBody(
  { original, tap }: Pick<TappedRequest, "original" | "tap">,
): Promise<CapturedBody | undefined> | CapturedBody | undefined {
  const peeked = tap && findForRequest(bodyTexts, original);
  return peeked === undefined ? tap?.captured() : peeked.then((text) => ({ text, complete: true }), () => undefined);
}
