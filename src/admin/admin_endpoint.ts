/** What the pages of clients and users have in common: who may open them, what may be changed, refusals as pages. */

import type { Incoming, Reply } from "../http/message.ts";
import type { Target } from "../http/router.ts";
import { asPage } from "../app/error_response.ts";
import type { Answers, Desk } from "../app/endpoint.ts";
import { refuseForeignHost } from "../app/host_check.ts";

/** What the pages may do, and how the server logs people in. */
export interface DirectoryOptions {
  /** Whether whoever opens them may change what is there. */
  readonly edit: boolean;
  /** Whether authorization requests are answered without showing a page. */
  readonly unattended: boolean;
}

/** Answers a request to the server as it is for that request, or throws. */
type Answer = (here: Desk, request: Incoming, target: Target) => Promise<Reply>;

/** Shows something to GET and, where that may be, changes it by POST; for this server's own pages alone. */
export function answerHere(desk: Desk, { show, change }: { readonly show: Answer; readonly change?: Answer }): Answers {
  const answerWith = (answer: Answer) => async (request: Incoming, target: Target): Promise<Reply> => {
    const here = desk.during(request);
    try {
      refuseForeignHost(here.server.issuer, request, "DI-04");
      return await answer(here, request, target);
    } catch (refusal) {
      return await asPage(here, target, refusal);
    }
  };
  return {
    GET: answerWith(show),
    ...change && { POST: answerWith(change) },
    refuse: (fault, target, request) => asPage(desk.during(request), target, fault),
  };
}

/** The id in a path, behind a stem; one that is not percent-encoded UTF-8 is nobody's. */
export function readId({ site }: Desk, stem: string, { path }: Target): string {
  try {
    return decodeURIComponent(path.slice(site.base.length + stem.length));
  } catch {
    return "";
  }
}
