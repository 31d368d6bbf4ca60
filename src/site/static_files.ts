/** GET /static/…: the style sheet and scripts that pages refer to; GET /favicon.ico, which browsers ask for by themselves. */

import { HttpError } from "../http/http_error.ts";
import type { HttpResponse, RequestLike } from "../http/message.ts";
import type { RequestTarget } from "../http/router.ts";
import { errorPage } from "../app/error_response.ts";
import type { App, Handlers } from "../app/endpoint.ts";
import type { Asset } from "../app/pages.ts";

/** Serves the assets that come with the pages. */
export function assets(app: App): Handlers {
  const prefix = `${app.site.base}/static/`;
  return assetHandlers(app, ({ path }) => path.slice(prefix.length));
}

/** Serves the icon at the address where browsers look for one beside what is no page, such as metadata. */
export function favicon(app: App): Handlers {
  return assetHandlers(app, () => "icon.svg");
}

function assetHandlers(app: App, getName: (target: RequestTarget) => string): Handlers {
  return {
    async GET(request, target) {
      const { assets: availableAssets } = await app.pages();
      const name = getName(target);
      const asset = Object.hasOwn(availableAssets, name) ? availableAssets[name] : undefined;
      if (asset === undefined) {
        return await errorPage(app, target, new HttpError(404, "HT-01", "There is nothing at this address"));
      }
      return assetResponse(request, asset);
    },
    reject: (error, target, request) => errorPage(app.contextFor(request), target, error),
  };
}

/** Answers with a file, or with less where the browser has it already. */
export function assetResponse(request: RequestLike, { type, etag, body }: Asset): HttpResponse {
  const headers = {
    "content-type": type,
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
    etag,
  };
  if (request.headers.get("if-none-match") === etag) return { status: 304, headers, body: null };
  return { status: 200, headers, body };
}
