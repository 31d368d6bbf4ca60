/** Connections that the server drops without a response. */

/** The error of a dropped connection: a TypeError, like that of `fetch`. */
export class ConnectionDropped extends TypeError {
  /** Creates the error. */
  constructor() {
    super("fetch failed: the connection was dropped before the response was complete");
    this.name = "TypeError";
  }
}
