/** Remembers a body while somebody else reads it: never reads ahead, never holds it back, never changes it. */

import type { Incoming } from "../http/message.ts";
import { recordedBody } from "./exchange.ts";

/** What was heard of a body. */
export interface Heard {
  /** As much as is remembered, as text. */
  readonly text: string;
  /** Whether that is all there was. */
  readonly whole: boolean;
}

/** How a body came to its end: all of it passed by, or it broke off, or whoever read it wanted no more. */
export type Ending = "whole" | "broken" | "unwanted";

/** Hears a body part by part. */
export interface Ear {
  hear(part: Uint8Array): void;
  end(how: Ending): void;
  /** What came so far; `undefined` while nothing did. */
  heard(): Heard | undefined;
}

/** An ear, and what it does when the body ends. */
export function ear(onEnd: (how: Ending) => void): Ear {
  let parts: Uint8Array[] = [];
  let size = 0;
  let whole = false;
  let heard: Heard | undefined;
  return {
    hear(part) {
      const room = recordedBody - Math.min(size, recordedBody);
      // A copy, because whoever reads the body may write into what they were given.
      if (room > 0) parts.push(part.slice(0, room));
      size += part.byteLength;
    },
    end(how) {
      whole = how === "whole" && size <= recordedBody;
      heard = size === 0 ? undefined : { text: decode(parts), whole };
      parts = [];
      onEnd(how);
    },
    heard: () => heard ?? (parts.length === 0 ? undefined : { text: decode(parts), whole }),
  };
}

/** The same request, overheard by whoever reads its body. */
export function overheardRequest(request: Incoming, { hear, end }: Ear): Incoming {
  let body: ReadableStream<Uint8Array> | null | undefined;
  return {
    method: request.method,
    url: request.url,
    headers: request.headers,
    get body() {
      if (body === undefined) body = request.body === null ? null : overheard(request.body, { hear, end });
      return body;
    },
    get bodyUsed() {
      return request.bodyUsed;
    },
    async bytes() {
      const bytes = await request.bytes();
      hear(bytes);
      end("whole");
      return bytes;
    },
  };
}

/** The same answer, overheard by whoever reads its body. */
export function overheardResponse(response: Response, listening: Ear): Response {
  return new Response(overheard(response.body!, listening), response);
}

function overheard(
  stream: ReadableStream<Uint8Array>,
  { hear, end }: Pick<Ear, "hear" | "end">,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      reader ??= stream.getReader();
      let part: ReadableStreamReadResult<Uint8Array>;
      try {
        part = await reader.read();
      } catch (error) {
        end("broken");
        throw error;
      }
      if (part.done) {
        // Heard to the end before the reader knows of it: what they do next may build upon it.
        end("whole");
        controller.close();
      } else {
        hear(part.value);
        controller.enqueue(part.value as Uint8Array<ArrayBuffer>);
      }
    },
    async cancel(reason) {
      end("unwanted");
      await (reader ?? stream).cancel(reason);
    },
    // Nothing is asked for until somebody asks.
  }, { highWaterMark: 0 });
}

function decode(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
}
