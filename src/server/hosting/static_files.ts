/** GET /static/…: style sheets and scripts of pages. */

import { HttpError, type HttpRequest, type HttpResponse } from "../../core/http/message.ts";
import type { Context } from "../../core/http/context.ts";
import type { Handlers } from "../../core/route.ts";
import type { Asset } from "../pages/asset.ts";
import type { Site } from "../pages/layout.tsx";
import type { Endpoint } from "../endpoint.ts";

type Assets = Readonly<Record<string, Asset>>;

/** Serves files below a path, such as `/static/`. */
export const serve = (path: string, files: Assets): Handlers => ({
  GET: (context) => findAsset(context, context.target.path.slice(context.site.base.length + path.length), files),
});

/** Responds with one of the files. */
export function findAsset(context: Context, name: string, files: Assets): HttpResponse {
  if (!Object.hasOwn(files, name)) throw new HttpError(404, "HT-01", "This address does not exist");
  return assetResponse(context.request, files[name]!);
}

/** Responds with the file, or 304 if the browser has it. */
function assetResponse(request: HttpRequest, { type, etag, body }: Asset): HttpResponse {
  const headers = { "content-type": type, "cache-control": "no-cache", "x-content-type-options": "nosniff", etag };
  if (request.headers.get("if-none-match") === etag) return { status: 304, headers, body: null };
  return { status: 200, headers, body };
}

/**
 * Serves the files below `/static/{folder}/`.
 *
 * @param load Loads them at the first request, by their names.
 */
export function staticEndpoint(
  { base }: Pick<Site, "base">,
  folder: string,
  load: () => Promise<{ readonly assets: Assets }>,
): Endpoint {
  return {
    name: `static_${folder}`,
    path: `${base}/static/${folder}/*`,
    methods: ["GET"],
    caller: "browser",
    title: "Static file",
    errors: "page",
    async load() {
      return serve(`/static/${folder}/`, (await load()).assets);
    },
  };
}
