/** Requests and answers as handlers read and give them: plain values, because Request and Response are dear to make. */

/** As much of a request as handlers read; every Request is one. */
export interface RequestLike {
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
export interface HttpResponse {
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
export type ResponseLike = HttpResponse | Response;

/** What a caller meets where the connection is dropped: a TypeError, as `fetch` rejects with one. */
export class ConnectionDropped extends TypeError {
  /** Nothing but a sentence. */
  constructor() {
    super("fetch failed: the connection was dropped before the whole answer had come");
    this.name = "TypeError";
  }
}

/** Whether it is a Response, by its shape: on Node the first mention of that name loads all of fetch. */
export function isResponse(response: object): response is Response {
  return "arrayBuffer" in response;
}

/** Whether the connection is to be dropped in place of an answer. */
export function isDropped(response: ResponseLike): boolean {
  return isResponse(response) && response.type === "error";
}

/** The answer with further headers, which replace its own of the same name. */
export function withHeaders(response: ResponseLike, headers: Readonly<Record<string, string>>): ResponseLike {
  if (!isResponse(response)) return { ...response, headers: { ...response.headers, ...headers } };
  // On a copy, because the headers of some Responses cannot be changed.
  const copy = new Response(response.body, response);
  for (const [name, value] of Object.entries(headers)) copy.headers.set(name, value);
  return copy;
}

/** A question about headers gets no body, whoever answers it, but its length (RFC 9110 §8.6). */
export async function withoutBody(response: ResponseLike): Promise<ResponseLike> {
  const { body } = response;
  if (body === null) return response;
  const withoutContent = isResponse(response) ? new Response(null, response) : { ...response, body: null };
  try {
    const { byteLength } = typeof body === "string"
      ? new TextEncoder().encode(body)
      : await (response as Response).arrayBuffer();
    return withHeaders(withoutContent, { "content-length": String(byteLength) });
  } catch {
    // A body that cannot be read has no length to tell.
    return withoutContent;
  }
}

/** The answer as a Response. */
export function toResponse(response: ResponseLike): Response {
  return isResponse(response) ? response : new Response(response.body, response);
}
