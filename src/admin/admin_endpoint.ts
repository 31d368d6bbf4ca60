/** Shared by the pages of clients and users: host check, GET and POST handlers, error pages. */

import type { Context } from "../app/context.ts";
import { rejectForeignHost } from "../app/host_check.ts";
import type { Handler, Handlers } from "../app/route.ts";

/** Options of the admin pages. */
export interface DirectoryOptions {
  /** Whether visitors may change clients and users. */
  readonly edit: boolean;
  /** Whether authorization requests are answered without showing a page. */
  readonly autoLogin: boolean;
}

/** Makes the handlers of a page: GET shows it, and POST changes something where that is allowed; both check the host. */
export function directoryHandlers({ show, change }: { readonly show: Handler; readonly change?: Handler }): Handlers {
  const withHostCheck = (handle: Handler): Handler => (context) => {
    rejectForeignHost(context.server.issuer, context.request, "DI-04");
    return handle(context);
  };
  return { GET: withHostCheck(show), ...change && { POST: withHostCheck(change) } };
}

/** The ID in a path after `prefix`; empty if it is not percent-encoded UTF-8. */
export function idFromPath({ site, target }: Context, prefix: string): string {
  try {
    return decodeURIComponent(target.path.slice(site.base.length + prefix.length));
  } catch {
    return "";
  }
}
