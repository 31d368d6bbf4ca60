/** Requests at another path, for endpoints that a provider has at several. */

import type { RequestLike } from "../../../core/http/message.ts";
import { replaceParts } from "../../../platform/http/changed_request.ts";

/** The request at another path of the same host. */
export function atPath(original: RequestLike, path: string, newPath: string): RequestLike {
  const { url } = original;
  // The host may contain the text of the path.
  const start = url.indexOf(path, url.startsWith("/") ? 0 : url.indexOf("//") + 2);
  return replaceParts(original, { url: url.slice(0, start) + newPath + url.slice(start + path.length), original });
}
