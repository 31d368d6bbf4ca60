/** Shared by the pages of clients and users: host check, GET and POST handlers, error pages. */

import type { Context } from "../app/context.ts";
import { rejectForeignHost } from "../app/host_check.ts";
import type { Handler, Handlers } from "../app/route.ts";
import type { Repository } from "../oauth/records/repository.ts";
import type { ListPosition } from "../ui/next_page.tsx";

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

/** Number of entries on a page of a list. */
const pageSize = 50;

/** The page of a list that the query asks for: `after` is the id of the last entry of the page before. */
export async function readPage<Input, Item>(
  { target }: Context,
  repository: Repository<Input, Item>,
  getId: (item: Item) => string,
): Promise<{ readonly entries: readonly Item[]; readonly position: ListPosition }> {
  const after = new URLSearchParams(target.query).get("after") ?? undefined;
  // One more than is shown tells whether another page follows.
  const found = await repository.list({ after, limit: pageSize + 1 });
  const entries = found.slice(0, pageSize);
  const nextHref = found.length === entries.length
    ? undefined
    : `${target.path}?after=${encodeURIComponent(getId(entries.at(-1)!))}`;
  return { entries, position: { total: await repository.count(), isFirst: after === undefined, nextHref } };
}
