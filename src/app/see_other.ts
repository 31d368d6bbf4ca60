/** The setting `seeOther`: every redirect has the status 303. */

import { isResponse } from "../http/message.ts";
import type { RequestHandler } from "../http/router.ts";

/** Replaces 302 by 303, with which a browser never repeats the method and the body of its request (RFC 9700 §4.12). */
export function seeOther(handle: RequestHandler): RequestHandler {
  return async (request, peer) => {
    const response = await handle(request, peer);
    return response.status !== 302 || isResponse(response) ? response : { ...response, status: 303 };
  };
}
