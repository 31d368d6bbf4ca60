/** Requests and answers as handlers read and give them: plain values, because Request and Response are dear to make. */

/** As much of a request as handlers read; every Request is one. */
export interface Incoming {
  /** In capitals. */
  readonly method: string;
  /** Absolute or not; its host does not count. */
  readonly url: string;
  /** By name, in small letters; several of one name are joined by commas. */
  readonly headers: { get(name: string): string | null };
  /** The body in parts, as it arrives. */
  readonly body: ReadableStream<Uint8Array> | null;
  /** Whether somebody has begun to read it. */
  readonly bodyUsed: boolean;
  /** The whole body, however large: only for bodies whose length was announced. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
}

/** An answer that holds text, or nothing. */
export interface Reply {
  /** The HTTP status. */
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text, or nothing. */
  readonly body: string | null;
}

/**
 * A Reply, or a Response where somebody else's program made the answer. `Response.error()` is the answer that never came:
 * over a network the connection is dropped, by `fetch` it is the failure that a network would be.
 */
export type Answer = Reply | Response;

/** What a caller meets where the connection is dropped: a TypeError, as `fetch` rejects with one. */
export class ConnectionDropped extends TypeError {
  /** Nothing but a sentence. */
  constructor() {
    super("fetch failed: the connection was dropped before the whole answer had come");
    this.name = "TypeError";
  }
}

/** Whether it is a Response, by its shape: on Node the first mention of that name loads all of fetch. */
export function isResponse(answer: object): answer is Response {
  return "arrayBuffer" in answer;
}

/** Whether the connection is to be dropped in place of an answer. */
export function isDropped(answer: Answer): boolean {
  return isResponse(answer) && answer.type === "error";
}

/** The answer with further headers, which replace its own of the same name. */
export function withHeaders(answer: Answer, further: Readonly<Record<string, string>>): Answer {
  if (!isResponse(answer)) return { ...answer, headers: { ...answer.headers, ...further } };
  // On a copy, because the headers of some Responses cannot be changed.
  const copy = new Response(answer.body, answer);
  for (const [name, value] of Object.entries(further)) copy.headers.set(name, value);
  return copy;
}

/** A question about headers gets no body, whoever answers it, but its length (RFC 9110 §8.6). */
export async function withoutBody(answer: Answer): Promise<Answer> {
  const { body } = answer;
  if (body === null) return answer;
  const bare = isResponse(answer) ? new Response(null, answer) : { ...answer, body: null };
  try {
    const { byteLength } = typeof body === "string"
      ? new TextEncoder().encode(body)
      : await (answer as Response).arrayBuffer();
    return withHeaders(bare, { "content-length": String(byteLength) });
  } catch {
    // A body that cannot be read has no length to tell.
    return bare;
  }
}

/** The answer as a Response. */
export function asResponse(answer: Answer): Response {
  return isResponse(answer) ? answer : new Response(answer.body, answer);
}
