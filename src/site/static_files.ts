/** GET /static/…: style sheets and scripts of pages; GET /favicon.ico, which browsers request by default. */

import { HttpError } from "../http/http_error.ts";
import type { HttpResponse, RequestLike } from "../http/message.ts";
import type { RequestTarget } from "../http/router.ts";
import { errorPage } from "../app/error_response.ts";
import type { App, Handlers } from "../app/endpoint.ts";
import type { Asset } from "../ui/pages.ts";

/** Serves the style sheets, scripts and icon of the pages. */
export function assets(app: App): Handlers {
  const prefix = `${app.site.base}/static/`;
  return assetHandlers(app, ({ path }) => path.slice(prefix.length));
}

/** Serves the icon to browsers that open metadata or other documents without a link to it. */
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
        return await errorPage(app, target, new HttpError(404, "HT-01", "This address does not exist"));
      }
      return assetResponse(request, asset);
    },
    reject: (error, target, request) => errorPage(app.contextFor(request), target, error),
  };
}

/** Responds with the file, or 304 if the browser has it. */
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
