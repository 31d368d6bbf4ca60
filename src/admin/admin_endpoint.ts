/** What the pages of clients and users have in common: who may open them, what may be changed, refusals as pages. */

import type { HttpResponse, RequestLike } from "../http/message.ts";
import type { RequestTarget } from "../http/router.ts";
import { errorPage } from "../app/error_response.ts";
import type { App, Handlers } from "../app/endpoint.ts";
import { rejectForeignHost } from "../app/host_check.ts";

/** What the pages may do, and how the server logs people in. */
export interface DirectoryOptions {
  /** Whether whoever opens them may change what is there. */
  readonly edit: boolean;
  /** Whether authorization requests are answered without showing a page. */
  readonly autoLogin: boolean;
}

/** Answers a request to the server as it is for that request, or throws. */
type PageHandler = (here: App, request: RequestLike, target: RequestTarget) => Promise<HttpResponse>;

/** Shows something to GET and, where that may be, changes it by POST; for this server's own pages alone. */
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

/** The id in a path, behind a stem; one that is not percent-encoded UTF-8 is nobody's. */
export function idFromPath({ site }: App, prefix: string, { path }: RequestTarget): string {
  try {
    return decodeURIComponent(path.slice(site.base.length + prefix.length));
  } catch {
    return "";
  }
}
