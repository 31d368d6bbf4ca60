/** Shared by the pages of clients and users: host check, GET and POST handlers, error pages. */

import type { HttpResponse, RequestLike } from "../http/message.ts";
import type { RequestTarget } from "../http/router.ts";
import { errorPage } from "../app/error_response.ts";
import type { App, Handlers } from "../app/endpoint.ts";
import { rejectForeignHost } from "../app/host_check.ts";

/** Options of the admin pages. */
export interface DirectoryOptions {
  /** Whether visitors may change clients and users. */
  readonly edit: boolean;
  /** Whether authorization requests are answered without showing a page. */
  readonly autoLogin: boolean;
}

/** Handles a request in its context, or throws. */
type PageHandler = (here: App, request: RequestLike, target: RequestTarget) => Promise<HttpResponse>;

/** Handlers that show a page on GET and, if allowed, change it on POST. Host check against DNS rebinding. */
export function directoryHandlers(
  app: App,
  { show, change }: { readonly show: PageHandler; readonly change?: PageHandler },
): Handlers {
  const withHostCheck =
    (handle: PageHandler) => async (request: RequestLike, target: RequestTarget): Promise<HttpResponse> => {
      const context = app.contextFor(request);
      try {
        rejectForeignHost(context.server.issuer, request, "DI-04");
        return await handle(context, request, target);
      } catch (error) {
        return await errorPage(context, target, error);
      }
    };
  return {
    GET: withHostCheck(show),
    ...change && { POST: withHostCheck(change) },
    reject: (error, target, request) => errorPage(app.contextFor(request), target, error),
  };
}

/** The ID in a path after `prefix`; empty if it is not percent-encoded UTF-8. */
export function idFromPath({ site }: App, prefix: string, { path }: RequestTarget): string {
  try {
    return decodeURIComponent(path.slice(site.base.length + prefix.length));
  } catch {
    return "";
  }
}
