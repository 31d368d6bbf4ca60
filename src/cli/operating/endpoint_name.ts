/** The path of a request and the name of its endpoint, in logs. */

import type { HttpRequest } from "../../core/http/message.ts";
import type { App } from "../../server/app.ts";

/** The path of a request, without its query. */
export function pathOf({ url }: Pick<HttpRequest, "url">): string {
  return /^(?:[a-z]+:\/\/[^/?#]*)?([^?#]*)/i.exec(url)?.[1] ?? "";
}

/** The name of the endpoint at a path; `unknown` if no route matches. */
export function endpointNameAt(findEndpoint: App["findEndpoint"], path: string): string {
  return findEndpoint(path)?.name ?? "unknown";
}
