/** Requests and responses of handlers: plain values, because creating Request and Response objects is slow. */

/** The part of a request that handlers read; every Request is one. */
export interface RequestLike {
  /** In capitals. */
  readonly method: string;
  /** Absolute or not; the host is ignored. */
  readonly url: string;
  /** Headers by lower-case name; several of one name are joined by commas. */
  readonly headers: { get(name: string): string | null };
  /** The body in parts, as it arrives. */
  readonly body: ReadableStream<Uint8Array> | null;
  /** Whether reading of the body has begun. */
  readonly bodyUsed: boolean;
  /** The whole body: only for bodies with a `content-length`, because its size is not limited here. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
}

/** A response with text, or without a body. */
export interface HttpResponse {
  /** The HTTP status. */
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text, or nothing. */
  readonly body: string | null;
}

/**
 * A response of this server, or a Response of an embedding program. `Response.error()` stands for a dropped connection: a
 * listening server drops it, and `fetch` rejects.
 */
export type ResponseLike = HttpResponse | Response;

/** The error of a dropped connection: a TypeError, like that of `fetch`. */
export class ConnectionDropped extends TypeError {
  /** Creates the error. */
  constructor() {
    super("fetch failed: the connection was dropped before the whole answer had come");
    this.name = "TypeError";
  }
}

/** Whether it is a Response, by its members: on Node, naming that class loads all of fetch. */
export function isResponse(response: object): response is Response {
  return "arrayBuffer" in response;
}

/** Whether the connection is to be dropped instead of a response. */
export function isDropped(response: ResponseLike): boolean {
  return isResponse(response) && response.type === "error";
}

/** The response with further headers, which replace those of the same name. */
export function withHeaders(response: ResponseLike, headers: Readonly<Record<string, string>>): ResponseLike {
  if (!isResponse(response)) return { ...response, headers: { ...response.headers, ...headers } };
  // On a copy, because the headers of some Responses cannot be changed.
  const copy = new Response(response.body, response);
  for (const [name, value] of Object.entries(headers)) copy.headers.set(name, value);
  return copy;
}

/** The response to HEAD: without the body, but with its length (RFC 9110 §8.6). */
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
    // The length of an unreadable body is unknown.
    return withoutContent;
  }
}

/** The response as a Response object. */
export function toResponse(response: ResponseLike): Response {
  return isResponse(response) ? response : new Response(response.body, response);
}
