/**
 * Logins of the demo clients, whose redirect URI is `/authorized`, and GET /start, which starts them. The server stores
 * nothing for them.
 */

import { type Client, policyOf } from "../clients/clients.ts";
import type { Context } from "../http/context.ts";
import { rejectUntrustedHost } from "../http/cross_site.ts";
import { endpointPath } from "../http/endpoint.ts";
import { HttpError, redirect } from "../http/message.ts";
import { frontChannelBase } from "../http/names.ts";
import type { StartLink } from "../pages/ways.tsx";
import type { Handlers } from "../route.ts";
import { constantTimeEqual, digest, randomId } from "../keys/secrets.ts";
import type { Server } from "../server.ts";
import { type BrowserCookie, ensureBrowserCookie } from "../sessions/browser_cookie.ts";

/** Maximum number of clients to search. */
const maxSearchedClients = 200;

/** The values that a client keeps for one login. */
export interface DemoFlow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export type DemoRequest = Readonly<Record<string, string | undefined>> & { readonly client_id: string };

/** The redirect URI that is this server's own page. */
export function callbackUri(server: Server): string {
  return `${frontChannelBase(server).replace(/\/$/, "")}/authorized`;
}

/** The clients whose redirect URI is this server's own page, public ones first. */
export async function callbackClients({ server }: Context): Promise<Client[]> {
  const callback = callbackUri(server);
  return (await server.clients.list({ limit: maxSearchedClients }))
    .filter((client) => client.hasRedirectUri(callback) && client.grantTypes.includes("authorization_code"))
    .sort((a, b) => Number(a.confidential) - Number(b.confidential));
}

/**
 * Rejects a request for `/authorized` and its steps under an untrusted host (DNS rebinding), and where the page does
 * not exist: on a test host it always does, otherwise only if a client has its redirect URI.
 *
 * @throws {HttpError} 403 or 404.
 */
export async function assertCallbackPage(context: Context): Promise<void> {
  const { server, request } = context;
  rejectUntrustedHost(server, request, "DI-04");
  if (server.policy.allows.openTools || (await callbackClients(context)).length > 0) return;
  throw new HttpError(404, "HT-01", "No client has this page as its redirect URI", {
    fix: "Add its URL to the redirect_uris of a client.",
  });
}

/** A link to `/start` for each demo client. */
export async function startLinks(context: Context): Promise<StartLink[]> {
  return (await callbackClients(context)).map(({ id, confidential }) => ({
    clientId: id,
    confidential,
    href: `${context.site.base}/start?${new URLSearchParams({ client_id: id })}`,
  }));
}

export async function newDemoFlow({ server }: Context, browser: BrowserCookie): Promise<DemoFlow> {
  return (await restoreDemoFlow(browser, await deriveState(browser, randomId(server.randomBytes))))!;
}

/** The login that this browser started at `/start`; `undefined` for the state of any other login. */
export async function restoreDemoFlow(
  browser: BrowserCookie,
  state: string | undefined,
): Promise<DemoFlow | undefined> {
  if (state === undefined || !constantTimeEqual(await deriveState(browser, state.slice(0, 22)), state)) {
    return undefined;
  }
  const nonce = (await digest(`nonce ${browser.secret} ${state}`)).slice(0, 22);
  return { state, nonce, verifier: await digest(`verifier ${browser.secret} ${state}`) };
}

/** A state bound to the secret of this browser: an ID and its MAC. */
async function deriveState(browser: BrowserCookie, id: string): Promise<string> {
  return id + (await digest(`state ${browser.secret} ${id}`)).slice(0, 22);
}

/** The authorization request of a login (OAuth 2.1 §4.1.1). It is the same whenever it is computed. */
export async function demoRequest({ server }: Context, client: Client, flow: DemoFlow): Promise<DemoRequest> {
  const scope = ["openid", "profile", "read"].filter((value) => client.scope.includes(value));
  const { response_modes: registered } = client.metadata;
  const modes = policyOf(server, client).responseModes.filter((mode) => registered?.includes(mode) ?? true);
  return {
    response_type: "code",
    client_id: client.id,
    redirect_uri: callbackUri(server),
    scope: scope.join(" ") || undefined,
    state: flow.state,
    nonce: scope.includes("openid") ? flow.nonce : undefined,
    code_challenge: await digest(flow.verifier),
    code_challenge_method: "S256",
    response_mode: modes.includes("query") ? undefined : modes[0],
  };
}

/** Returns the query of the authorization endpoint that a client must send for a request, such as a signed one. */
type PrepareRequest = (context: Context, client: Client, request: DemoRequest) => Promise<DemoRequest>;

/**
 * Redirects to the authorization endpoint, for the demo client that `client_id` names, or the first one.
 *
 * @param prepare Default: clients send the request as it is.
 */
export const startHandlers = (prepare?: PrepareRequest): Handlers => ({
  async GET(context) {
    rejectUntrustedHost(context.server, context.request, "DI-04");
    const id = new URLSearchParams(context.target.query).get("client_id");
    const client = (await callbackClients(context)).find((candidate) => id === null || candidate.id === id);
    if (client === undefined) {
      const subject = id === null ? "No client" : "No client with this client_id";
      throw new HttpError(
        404,
        "DM-15",
        `${subject} has the redirect URI ${callbackUri(context.server)}, where a login without an application ends`,
      );
    }
    const browser = await ensureBrowserCookie(context);
    const request = await demoRequest(context, client, await newDemoFlow(context, browser));
    const sent = await prepare?.(context, client, request) ?? request;
    const query = new URLSearchParams(
      Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    return redirect("GET", `${endpointPath(context.app, "authorize")}?${query}`, browser.headers);
  },
});
