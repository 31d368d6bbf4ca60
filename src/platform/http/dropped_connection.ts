/** Connections that the server drops without a response. */

import { type HttpResponse, isDropped, toResponse } from "../../core/http/message.ts";

/** The error of a dropped connection: a TypeError, like that of `fetch`. */
export class ConnectionDropped extends TypeError {
  /** Creates the error. */
  constructor() {
    super("fetch failed: the connection was dropped before the response was complete");
    this.name = "TypeError";
  }
}

/** The response of a server to a caller of its `fetch`. @throws {ConnectionDropped} */
export function fetchedResponse(response: HttpResponse | Response): Response {
  if (isDropped(response)) throw new ConnectionDropped();
  return toResponse(response);
}
