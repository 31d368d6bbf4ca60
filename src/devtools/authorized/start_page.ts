/** The start page of the playground: it offers the extensions that the server has. */

import { ensureBrowserCookie } from "../../server/endpoints/shared/browser_cookie.ts";
import type { Context } from "../../server/assembly/context.ts";
import { browserCsrfToken } from "../../server/endpoints/shared/csrf.ts";
import { detailsTypes } from "../../server/extensions/authorization_details/settings.ts";
import { htmlWithForms, type HttpResponse, redirect } from "../../platform/http/message.ts";
import { deviceCodeType } from "../../server/oauth/clients/standing.ts";
import { addClientPath, hasDemoKey, startLinks } from "./demo_client.ts";
import { canPush } from "../../server/extensions/par/settings.ts";
import { canSign } from "../../server/extensions/signed_requests/settings.ts";
import { exampleOf } from "./schema_example.ts";
import { isPlayable } from "./requests.ts";

/** Renders the page. */
export async function showStartPage(context: Context): Promise<HttpResponse> {
  const { server, site } = context;
  const { settings } = server;
  const types = detailsTypes(settings);
  const browser = await ensureBrowserCookie(context);
  const ids = (await startLinks(context, browser)).map(({ clientId }) => clientId);
  const clients = (await Promise.all(ids.map((id) => server.clients.find(id)))).filter((client) =>
    client !== undefined
  );
  const csrfToken = await browserCsrfToken(context, browser);
  const hasDevices = context.app.endpoints.some(({ name }) => name === "device_authorization");
  const pages = await context.pages();
  const page = pages.playgroundStart({
    ...site,
    clientIds: ids,
    addPath: addClientPath(context, "demo"),
    par: canPush(server),
    signingClientIds: clients.filter((client) => hasDemoKey(client) && canSign(server)).map(({ id }) => id),
    addKeyClient: await mayAddKeyClient(context) ? [["form_token", csrfToken], ["step", addKeyClientStep]] : undefined,
    dpop: server.keyProofs?.policy(server).algorithms.includes("ES256") === true,
    // A server does not receive the fragment of a URL.
    responseModes: settings.responseModes.filter((mode) => server.responseModes.get(mode)?.carrier !== "fragment"),
    acrValues: server.levels?.all.map(({ value }) => value) ?? [],
    authorizationDetails: types && JSON.stringify(
      Object.entries(types).map(([type, { schema }]) => ({ type, ...exampleOf(schema) })),
    ),
    devices: clients.filter((client) => hasDevices && isPlayable(client) && client.grantTypes.includes(deviceCodeType))
      .map(({ id }) => ({
        clientId: id,
        fields: [["form_token", csrfToken], ["client_id", id], ["step", "device"]],
      })),
  });
  return htmlWithForms(200, page, browser.headers);
}

/** The value of `step` in the form that adds the demo client with a key. */
export const addKeyClientStep = "add_key_client";

/** Whether the page may add the demo client with a key, as visitors may on the clients page. */
async function mayAddKeyClient({ server }: Context): Promise<boolean> {
  const { allows, directory, clientAuthMethods } = server.settings;
  return allows.openTools && canSign(server) && directory === "edit" &&
    clientAuthMethods.includes("private_key_jwt") &&
    await server.clients.find("demo-key") === undefined;
}

/** Adds the demo client with a key, for which the playground can sign requests. */
export async function addKeyClient(context: Context): Promise<HttpResponse> {
  const { server, site } = context;
  if (await mayAddKeyClient(context)) {
    const { demoKeyClient } = await import("../../server/config/demo_entries.ts");
    await server.clients.set(demoKeyClient(server.issuer));
  }
  return redirect("POST", `${site.base}/authorized/try`);
}
