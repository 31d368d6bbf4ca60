/** GET /static/…: the style sheet and scripts that pages refer to; GET /favicon.ico, which browsers ask for by themselves. */

import { HttpFault } from "../http/http_error.ts";
import type { Incoming, Reply } from "../http/message.ts";
import type { Target } from "../http/router.ts";
import { asPage } from "../app/error_response.ts";
import type { Answers, Desk } from "../app/endpoint.ts";
import type { Asset } from "../app/pages.ts";

/** Serves the assets that come with the pages. */
export function assets(desk: Desk): Answers {
  const stem = `${desk.site.base}/static/`;
  return serveNamed(desk, ({ path }) => path.slice(stem.length));
}

/** Serves the icon at the address where browsers look for one beside what is no page, such as metadata. */
export function favicon(desk: Desk): Answers {
  return serveNamed(desk, () => "icon.svg");
}

function serveNamed(desk: Desk, nameOf: (target: Target) => string): Answers {
  return {
    async GET(request, target) {
      const { assets: known } = await desk.pages();
      const name = nameOf(target);
      const asset = Object.hasOwn(known, name) ? known[name] : undefined;
      if (asset === undefined) {
        return await asPage(desk, target, new HttpFault(404, "HT-01", "There is nothing at this address"));
      }
      return serveAsset(request, asset);
    },
    refuse: (fault, target, request) => asPage(desk.during(request), target, fault),
  };
}

/** Answers with a file, or with less where the browser has it already. */
export function serveAsset(request: Incoming, { type, etag, body }: Asset): Reply {
  const headers = {
    "content-type": type,
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
    etag,
  };
  if (request.headers.get("if-none-match") === etag) return { status: 304, headers, body: null };
  return { status: 200, headers, body };
}
