/**
 * GET /: the home page.
 *
 * This folder has the pages for developers: the home page, and the steps after `/authorized`. No protocol rule lives
 * here; the steps send requests to the endpoints, as a client does.
 *
 * 1. `/start` (`endpoints/start.ts`) starts a login of a demo client, whose request `demo_request.ts` pushes or signs
 *    if the client must.
 * 2. `/authorized` (`endpoints/authorized.ts`) shows the response and the checks of a client.
 * 3. `playground/` exchanges the code and sends further requests, one step at a time.
 */

import { publicUrl } from "../../server/assembly/endpoint.ts";
import { html } from "../../platform/http/message.ts";
import { toListedClient } from "./listed_client.ts";
import { toListedUser } from "./users.ts";
import { ensureBrowserCookie } from "../../server/endpoints/shared/browser_cookie.ts";
import type { Handlers } from "../../server/assembly/route.ts";
import { isTrustedHost } from "../../server/endpoints/shared/cross_site.ts";
import { mayListClients } from "../../server/endpoints/shared/suggest_match.ts";
import type { Context } from "../../server/assembly/context.ts";
import { describeSnippets } from "./describe_snippets.ts";
import type { Client } from "../../server/oauth/clients/repository.ts";
import { serverOrigins } from "../../server/config/issuer_urls.ts";
import type { HomeProps } from "./pages/home.tsx";
import { addClientPath, callbackUri, startLinks } from "../../server/endpoints/demo_flow.ts";

export const home: Handlers = {
  async GET(context) {
    const { app, server, site } = context;
    const { origin } = new URL(server.issuer);
    const browser = await ensureBrowserCookie(context);
    const pages = await context.pages();
    const login = app.endpoints.some(({ name }) => name === "login") ? "page" : "automatic";
    const clients = mayListClients(context) ? await server.clients.list() : [];
    const page = pages.home({
      ...site,
      connect: await describeConnection(context, clients, login === "automatic"),
      edits: server.settings.directory === "edit",
      startLinks: await startLinks(context),
      addPath: addClientPath(context, "demo"),
      directory: mayListClients(context)
        ? {
          clients: clients.map((client) => toListedClient(context, client)),
          users: (await server.users.list()).map((user) => toListedUser(context, user)),
        }
        : undefined,
      endpoints: [
        ...app.endpoints.flatMap((endpoint) =>
          endpoint.metadataName === undefined ? [] : [{ name: endpoint.metadataName, url: publicUrl(server, endpoint) }]
        ),
        ...server.resources.hosted.map(({ identifier }) => ({ name: "protected_resource", url: identifier })),
        ...app.endpoints.filter(({ name }) => name === "discovery").map(({ path }) => ({
          name: /\.well-known\/([^/]+)/.exec(path)![1]!,
          url: origin + path,
        })),
      ],
      flows: isTrustedHost(server, context.request) ? await app.recentFlows() : undefined,
      persistent: server.store.persistent === true,
      profile: server.settings.profile?.label,
      otherHost: findOtherHost(context),
      login,
      scopes: server.settings.scopes,
    });
    return html(200, page, browser.headers);
  },
};

/**
 * The host that a browser asked, if it is neither that of the issuer nor that of the pages. A name that is not trusted
 * changes no response (DNS rebinding).
 */
function findOtherHost({ server, request }: Context): string | undefined {
  const host = request.headers.get("host");
  const isOwn = (origin: string) => {
    const own = new URL(origin);
    const asked = `${own.protocol}//${host}`;
    return URL.canParse(asked) && new URL(asked).host === own.host;
  };
  if (host === null || server.settings.isIssuerFromHost || !isTrustedHost(server, request)) return undefined;
  return serverOrigins(server).some(isOwn) ? undefined : host;
}

/**
 * The settings of the first configured client that users log in to; of one that an application can use, if there is
 * any. Not of a client that registered itself, because an attacker may have chosen its name and redirect URI.
 */
async function describeConnection(
  context: Context,
  clients: readonly Client[],
  autoLogin: boolean,
): Promise<HomeProps["connect"]> {
  const ownPage = callbackUri(context.server);
  const usesOwnPage = ({ redirectUris }: Client) => redirectUris[0] === ownPage;
  const candidates = clients.filter(({ grantTypes, standing }) =>
    standing === "configured" && grantTypes.includes("authorization_code")
  );
  const client = candidates.find((candidate) => !usesOwnPage(candidate)) ?? candidates[0];
  if (client === undefined) return undefined;
  return {
    client: toListedClient(context, client),
    usesOwnPage: usesOwnPage(client),
    ...await describeSnippets(context, client, { secret: undefined, autoLogin }),
  };
}
