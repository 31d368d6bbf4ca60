/** Responses that are signed claims. */

import type { HttpResponse } from "./http/message.ts";

/** A JWT as the whole response, never cached. */
export function jwtResponse(contentType: string, jwt: string): HttpResponse {
  return {
    status: 200,
    headers: { "content-type": contentType, "cache-control": "no-store", "x-content-type-options": "nosniff" },
    body: jwt,
  };
}
