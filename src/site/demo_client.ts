/** The demo clients: links that start a flow, and the state, nonce and verifier of a started flow. */

import { HttpError } from "../http/http_error.ts";
import { encodeFormValue } from "../oauth/clients/redirect_uri.ts";
import { constantTimeEqual, digest, randomId } from "../oauth/secrets.ts";
import type { Client } from "../oauth/clients/repository.ts";
import { hasTestHost } from "../oauth/config/settings.ts";
import type { Server } from "../oauth/server.ts";
import type { Context } from "../app/context.ts";
import { endpointPath, issuerUrl } from "../app/endpoint.ts";
import type { StartLink } from "../ui/page_actions.tsx";
import type { BrowserCookie } from "../app/browser_cookie.ts";

/** The redirect URI of the demo clients: this server's own page. */
export function callbackUri(server: Server): string {
  return issuerUrl(server.issuer, "/authorized");
}

/** Maximum number of clients to search. */
const maxSearchedClients = 200;

/** The clients whose redirect URI is this server's own page. */
export async function callbackClients({ server }: Context): Promise<Client[]> {
  const callback = callbackUri(server);
  return (await server.clients.list({ limit: maxSearchedClients })).filter((client) =>
    client.redirectUris.includes(callback) && client.grantTypes.includes("authorization_code")
  );
}

/** Whether the callback page exists: on a test host always, otherwise only if a client has its redirect URI. */
export async function hasCallbackPage(context: Context): Promise<boolean> {
  return hasTestHost(context.server.issuer) || (await callbackClients(context)).length > 0;
}

/** The error if the callback page does not exist. */
export function noCallbackPage(): HttpError {
  return new HttpError(404, "HT-01", "No client has this page as its redirect URI");
}

/** A fresh link to the authorization endpoint for each demo client, public ones first. */
export async function startLinks(context: Context, browser: BrowserCookie): Promise<StartLink[]> {
  const clients = (await callbackClients(context)).sort((a, b) => Number(a.confidential) - Number(b.confidential));
  return await Promise.all(clients.map(async (client) => {
    const state = await deriveState(browser, randomId(context.server.randomBytes));
    const request = await demoAuthorizationRequest(context, client, (await restoreDemoFlow(browser, state))!);
    const query = request.map(([name, value]) => `${name}=${encodeFormValue(value)}`).join("&");
    return {
      clientId: client.id,
      confidential: client.confidential,
      href: `${endpointPath(context.app, "authorize")}?${query}`,
    };
  }));
}

/** The values that a client stores for a flow. */
export interface DemoFlow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The authorization request of a link of {@link startLinks}. It is the same whenever it is computed for a flow. */
export async function demoAuthorizationRequest(
  { server }: Context,
  client: Client,
  { state, nonce, verifier }: DemoFlow,
): Promise<[name: string, value: string][]> {
  const scope = ["openid", "profile", "read"].filter((token) => client.scope.includes(token));
  const request: [string, string | undefined][] = [
    ["response_type", "code"],
    ["client_id", client.id],
    ["redirect_uri", callbackUri(server)],
    ["scope", scope.join(" ") || undefined],
    ["state", state],
    ["nonce", scope.includes("openid") ? nonce : undefined],
    ["code_challenge", await digest(verifier)],
    ["code_challenge_method", "S256"],
  ];
  return request.filter((pair): pair is [string, string] => pair[1] !== undefined);
}

/** The flow that this browser started with a link of {@link startLinks}; `undefined` for any other flow. */
export async function restoreDemoFlow(
  browser: BrowserCookie,
  state: string | undefined,
): Promise<DemoFlow | undefined> {
  const name = state?.slice(0, 22);
  if (name === undefined || !constantTimeEqual(await deriveState(browser, name), state!)) return undefined;
  const [nonce, verifier] = await Promise.all(
    ["nonce", "verifier"].map((purpose) => digest(`${purpose} ${browser.secret} ${state}`)),
  );
  return { state: state!, nonce: nonce!.slice(0, 22), verifier: verifier! };
}

/** A state bound to the secret of this browser: an ID and its MAC. */
async function deriveState(browser: BrowserCookie, name: string): Promise<string> {
  return `${name}${(await digest(`state ${browser.secret} ${name}`)).slice(0, 22)}`;
}
