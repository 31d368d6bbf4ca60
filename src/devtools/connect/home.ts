/** GET /: the home page, with the form that adds a client. POST /clients shows it again with the errors of the form. */

import { publicUrl } from "../../core/http/endpoint.ts";
import type { HttpResponse } from "../../core/http/message.ts";
import { callbackClients, callbackUri } from "../../core/demo/demo_flow.ts";
import type { Handlers } from "../../core/route.ts";
import { isTrustedHost } from "../../core/http/cross_site.ts";
import type { Context } from "../../core/http/context.ts";
import { mayListClients, prefilledValues } from "../../server/errors/client_change.ts";
import { randomId } from "../../core/keys/secrets.ts";
import { serverOrigins } from "../../server/config/server_origins.ts";
import type { Client } from "../../core/clients/clients.ts";
import type { FieldError } from "../../server/pages/field.tsx";
import { renderPage } from "../../core/pages/render_page.ts";
import { type ConnectForm, Home } from "./pages/home.tsx";
import { type DirectoryOptions, pageWithForm } from "./admin_endpoint.ts";
import { connectFields, formAuthMethods } from "./client_form.ts";
import { libraries } from "./client_snippets/libraries.ts";
import { changedPlaces, clientEntry, configurationFile, findShownSecret, userEntry } from "./configuration_file.ts";
import { toListedClient } from "./listed_client.ts";
import { toListedUser } from "./users.ts";
import type { FindRecentFlows } from "../requests/pages/props.ts";
import type { HostedServer } from "../../server/hosted_server.ts";

/** Number of clients and users on the page, which links to the lists of all. */
const shown = 12;

/**
 * @param options Absent if the server has no pages of clients and users.
 * @param recentFlows Absent if the server records no requests.
 */
export function homePage(
  options: DirectoryOptions | undefined,
  recentFlows: FindRecentFlows | undefined,
): Handlers<HostedServer> {
  return { GET: (context) => showHome(context, options, recentFlows) };
}

/** Shows the page. `rejected` has the values and errors of a form that added no client. */
export async function showHome(
  context: Context<HostedServer>,
  options: DirectoryOptions | undefined,
  recentFlows: FindRecentFlows | undefined,
  rejected?: { readonly values: Readonly<Record<string, string>>; readonly errors: readonly FieldError[] },
): Promise<HttpResponse> {
  const { app, server, site } = context;
  const { origin } = new URL(server.issuer);
  const isListed = mayListClients(context);
  const [clients, users] = isListed
    ? await Promise.all([server.clients.list({ limit: shown }), server.users.list({ limit: shown })])
    : [[], []];
  const edits = isListed && options?.edit === true;
  const fields = edits && formAuthMethods(server).length > 0 ? await connectForm(context, rejected) : false;
  const flows = isTrustedHost(server, context.request) ? await recentFlows?.() : undefined;
  const hasDemo = (await callbackClients(context)).length > 0;
  const entryOf = async (client: Client) => clientEntry(client, await findShownSecret(options!, client));
  const lines = edits
    ? configurationFile({
      ...{ clients: await Promise.all(clients.map(entryOf)), users: users.map(userEntry) },
      ...changedPlaces(server),
    })
    : undefined;
  return await pageWithForm(context, fields, (form) =>
    renderPage(Home, {
      ...site,
      form,
      hasDemo,
      demoUri: callbackUri(server),
      directory: isListed
        ? {
          clients: clients.map((client) => toListedClient(context, client)),
          users: users.map((user) => toListedUser(context, user)),
          lines,
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
      flows,
      persistent: server.store.persistent === true,
      profile: server.policy.profile?.label,
      otherHost: findOtherHost(context),
      login: app.endpoints.some(({ name }) => name === "login") ? "page" : "automatic",
      scopes: server.policy.scopes,
    }));
}

/** The form: empty, with the values that the link of a rejected request proposes, or as it was sent. */
async function connectForm(
  context: Context<HostedServer>,
  rejected: Parameters<typeof showHome>[3],
): Promise<Omit<ConnectForm, "csrfToken" | "confirmation">> {
  const { server } = context;
  const proposal = prefilledValues(context);
  const authMethods = formAuthMethods(server);
  const proposed = connectFields.flatMap((name): [string, string][] => {
    const value = proposal.get(name);
    const isChoice = name !== "token_endpoint_auth_method" || authMethods.some((method) => method === value);
    return value === null || !isChoice ? [] : [[name, value]];
  });
  const [first] = libraries;
  return {
    values: rejected?.values ?? {
      library: first!.library,
      redirect_uris: first!.redirectUris[0],
      client_id: await unusedClientId(context),
      ...Object.fromEntries(proposed),
    },
    errors: rejected?.errors ?? [],
    isPersistent: server.store.persistent === true,
    isProposed: proposed.length > 0,
    asksForSecret: rejected === undefined && proposed.length > 0 && !proposal.has("token_endpoint_auth_method") &&
      authMethods.includes("none") && authMethods.length > 1,
    libraries,
    authMethods,
    keyMethods: server.policy.clientAuthMethods.filter((method) => !authMethods.includes(method)),
  };
}

/** The highest number to try before a random id. */
const maxNumber = 20;

/** `app`, or the first of `app-2`, `app-3` and so on that no client has. */
async function unusedClientId({ server }: Context<HostedServer>): Promise<string> {
  for (let number = 1; number <= maxNumber; number++) {
    const id = number === 1 ? "app" : `app-${number}`;
    if (await server.clients.registered.find(id) === undefined) return id;
  }
  return `app-${randomId(server.randomBytes)}`;
}

/**
 * The host of the request, if it differs from the hosts of the issuer and of the pages. `undefined` for a host that is
 * not trusted (DNS rebinding).
 */
function findOtherHost({ server, request }: Context<HostedServer>): string | undefined {
  const host = request.headers.get("host");
  const isOwn = (origin: string) => {
    const own = new URL(origin);
    const asked = `${own.protocol}//${host}`;
    return URL.canParse(asked) && new URL(asked).host === own.host;
  };
  if (host === null || server.policy.isIssuerFromHost || !isTrustedHost(server, request)) return undefined;
  return serverOrigins(server).some(isOwn) ? undefined : host;
}
