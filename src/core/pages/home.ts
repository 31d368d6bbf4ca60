/** GET /: where clients find the server, and a demo login. */

import type { Context } from "../http/context.ts";
import { publicUrl } from "../http/endpoint.ts";
import { type HttpResponse, redirect } from "../http/message.ts";
import { PlainHomePage } from "./plain_pages.tsx";
import { plainPage } from "./render_page.ts";
import type { Handlers } from "../route.ts";

/** The URLs of the metadata and of the endpoints in it, by their names. */
type NamedUrls = readonly (readonly [name: string, url: string])[];

/**
 * The page. It names the issuer and the endpoints.
 *
 * @param respond Default: the page of the minimal server.
 */
export function homeHandlers(
  respond: (context: Context, endpoints: NamedUrls) => Promise<HttpResponse> = async ({ site }, endpoints) =>
    await plainPage(200, PlainHomePage, { ...site, endpoints }),
): Handlers {
  return {
    async GET(context) {
      const { app, server } = context;
      const { origin } = new URL(server.issuer);
      return await respond(
        context,
        app.endpoints.flatMap((endpoint): NamedUrls => {
          if (endpoint.name === "discovery") return [["metadata", origin + endpoint.path]];
          return endpoint.metadataName === undefined ? [] : [[endpoint.metadataName, publicUrl(server, endpoint)]];
        }),
      );
    },
  };
}

/** Leads from the root of the host to the home page, which is below the path of the issuer. */
export const root: Handlers = {
  GET: ({ request, site: { base } }) => redirect(request.method, `${base}/`),
};
