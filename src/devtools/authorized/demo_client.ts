/** The demo clients: links that start a flow, and the state, nonce and verifier of a started flow. */

import { authorizationRequest, type FlowValues } from "../../client/authorization_request.ts";
import { encodeParameters, type RequestParameters } from "../../client/parameters.ts";
import { type ProofKey, proofKey } from "../../client/proof.ts";
import { frontChannelBase } from "../../server/config/issuer_urls.ts";
import { canProve, mustProve } from "../../server/extensions/dpop/settings.ts";
import { canPush, mustPush } from "../../server/extensions/par/settings.ts";
import { canSign, mustSign } from "../../server/extensions/signed_requests/settings.ts";
import { HttpError } from "../../platform/http/message.ts";
import { decodeBase64url, p256KeyFrom } from "../../platform/runtime/crypto.ts";
import { constantTimeEqual, digest, randomId } from "../../server/oauth/secrets.ts";
import { policyOf } from "../../server/oauth/clients/policy.ts";
import type { Client } from "../../server/oauth/clients/repository.ts";
import type { Server } from "../../server/oauth/server.ts";
import { fixLink } from "../../server/endpoints/shared/client_change.ts";
import type { Context } from "../../server/assembly/context.ts";
import { endpointPath, issuerUrl } from "../../server/assembly/endpoint.ts";
import { rejectUntrustedHost } from "../../server/endpoints/shared/cross_site.ts";
import type { StartLink } from "../../server/pages/page_actions.tsx";
import type { BrowserCookie } from "../../server/endpoints/shared/browser_cookie.ts";
import { type DemoExtensions, parseExtensions, serializeExtensions } from "./demo_extensions.ts";

/** The redirect URI of the demo clients: this server's own page. */
export function callbackUri(server: Server): string {
  return issuerUrl(frontChannelBase(server), "/authorized");
}

/** Maximum number of clients to search. */
const maxSearchedClients = 200;

/** The clients whose redirect URI is this server's own page. */
export async function callbackClients({ server }: Context): Promise<Client[]> {
  const callback = callbackUri(server);
  return (await server.clients.list({ limit: maxSearchedClients })).filter((client) =>
    client.hasRedirectUri(callback) && client.grantTypes.includes("authorization_code")
  );
}

/**
 * The path of the form that adds a client with this server's own page as its redirect URI; `undefined` if the visitor
 * may not add a client, if another client has the ID, or if the server has no public clients.
 */
export function addClientPath(context: Context, client_id: string): string | undefined {
  if (!context.server.settings.clientAuthMethods.includes("none")) return undefined;
  const client = { client_id, redirect_uri: callbackUri(context.server), token_endpoint_auth_method: "none" };
  return fixLink(context, { ...client, isNew: true })?.path;
}

/**
 * Rejects a request for the callback page, or a page that continues its flow, under an untrusted host (DNS rebinding),
 * and where the page does not exist: on a test host it always does, otherwise only if a client has its redirect URI.
 *
 * @throws {HttpError} 403 or 404.
 */
export async function assertCallbackPage(context: Context): Promise<void> {
  const { server, request } = context;
  rejectUntrustedHost(server, request, "DI-04");
  if (server.settings.allows.openTools || (await callbackClients(context)).length > 0) return;
  throw new HttpError(404, "HT-01", "No client has this page as its redirect URI", {
    fix: "Add its URL to the redirect_uris of a client.",
  });
}

/**
 * A link that starts a flow for each demo client, public ones first: a fresh one to the authorization endpoint, or one
 * to `/start`, if the request must be pushed or signed.
 */
export async function startLinks(context: Context, browser: BrowserCookie): Promise<StartLink[]> {
  const clients = await callbackClients(context);
  return await Promise.all(
    shortStartLinks(context, clients).map(async (link) => {
      const client = clients.find(({ id }) => id === link.clientId)!;
      if (mustPush(context.server, client) || mustSign(context.server, client)) return link;
      const request = await demoAuthorizationRequest(context, client, await newDemoFlow(context, browser));
      return { ...link, href: `${endpointPath(context.app, "authorize")}?${encodeParameters(request)}` };
    }),
  );
}

/** A link to `/start` for each client, public ones first: short, for pages that hold a lot. */
export function shortStartLinks({ site }: Context, clients: readonly Client[]): StartLink[] {
  return [...clients].sort((a, b) => Number(a.confidential) - Number(b.confidential)).map(({ id, confidential }) => ({
    clientId: id,
    confidential,
    href: `${site.base}/start?${encodeParameters({ client_id: id })}`,
  }));
}

/** Whether the client of a flow pushes its request, so that no link can contain it. */
export function pushesRequest(
  { server }: Context,
  client: Client,
  { extensions }: Pick<DemoFlow, "extensions">,
): boolean {
  return mustPush(server, client) || extensions.par !== undefined && canPush(server);
}

/** Whether this server has the private key of the client. */
export function hasDemoKey({ metadata }: Client): boolean {
  return metadata.jwks?.keys.some(({ kid }) => kid === "demo-key") === true;
}

/** Whether the client of a flow signs its request. */
export function signsRequest(
  { server }: Context,
  client: Client,
  { extensions }: Pick<DemoFlow, "extensions">,
): boolean {
  return mustSign(server, client) || extensions.jar !== undefined && canSign(server);
}

/** What a flow of the tour shows: its steps, or what the server rejects if this parameter is wrong. */
const tourKinds = ["steps", "redirect_uri", "code_verifier"] as const;

/** See {@link DemoFlow.tour}. */
export type TourKind = (typeof tourKinds)[number];

/** The values that a client stores for a flow. */
export interface DemoFlow extends FlowValues {
  /** The digest that the key of its DPoP proofs is derived from. */
  readonly dpopSecret: string;
  /** What its authorization request has besides the plain one. */
  readonly extensions: DemoExtensions;
  /** Set if the tour, not the callback page, shows its response. */
  readonly tour?: TourKind;
}

/** Starts a flow of this browser. */
export async function newDemoFlow(
  { server }: Context,
  browser: BrowserCookie,
  extensions: DemoExtensions = {},
  tour?: TourKind,
): Promise<DemoFlow> {
  const state = await deriveState(browser, randomId(server.randomBytes), serializeExtensions(extensions), tour);
  return (await restoreDemoFlow(browser, state))!;
}

/** The authorization request of a flow. It is the same whenever it is computed for the flow. */
export async function demoAuthorizationRequest(
  context: Context,
  client: Client,
  flow: DemoFlow,
): Promise<RequestParameters> {
  const { server } = context;
  const { extensions } = flow;
  const scope = ["openid", "profile", "read"].filter((token) => client.scope.includes(token));
  const { responseModes: modes } = policyOf(server, client);
  const requested = { client_id: client.id, redirect_uri: callbackUri(server), scope: scope.join(" ") || undefined };
  return {
    ...await authorizationRequest(requested, flow),
    response_mode: extensions.response_mode ?? (modes.includes("query") ? undefined : modes[0]),
    acr_values: extensions.acr_values,
    authorization_details: extensions.authorization_details,
    dpop_jkt: usesDpop(context, client, flow) ? (await demoProofKey(flow.dpopSecret)).thumbprint : undefined,
  };
}

/** Whether the client of a flow sends DPoP proofs. */
export function usesDpop({ server }: Context, client: Client, { extensions }: DemoFlow): boolean {
  return canProve(server) && (extensions.dpop !== undefined || mustProve(server, client));
}

/** The key of a flow for proofs, derived from its digest. */
export async function demoProofKey(dpopSecret: string): Promise<ProofKey> {
  const bytes = decodeBase64url(dpopSecret);
  // A number of 255 bits is less than the order of the curve.
  bytes[0]! &= 0x7f;
  return await proofKey(await p256KeyFrom(bytes));
}

/** The flow that this browser started with a link of this server; `undefined` for any other flow. */
export async function restoreDemoFlow(
  browser: BrowserCookie,
  state: string | undefined,
): Promise<DemoFlow | undefined> {
  if (state === undefined) return undefined;
  const [name, extensions] = [state.slice(0, 22), state.slice(44)];
  const kinds = [undefined, ...tourKinds];
  const states = await Promise.all(kinds.map((kind) => deriveState(browser, name, extensions, kind)));
  const index = states.findIndex((candidate) => constantTimeEqual(candidate, state));
  if (index < 0) return undefined;
  const [nonce, verifier, dpopSecret] = await Promise.all(
    ["nonce", "verifier", "dpop"].map((purpose) => digest(`${purpose} ${browser.secret} ${state}`)),
  );
  return {
    ...{ state, nonce: nonce!.slice(0, 22), verifier: verifier!, dpopSecret: dpopSecret! },
    extensions: parseExtensions(extensions),
    tour: kinds[index],
  };
}

/** A state bound to the secret of this browser: an ID, its MAC, and the extensions of the request. */
async function deriveState(
  browser: BrowserCookie,
  name: string,
  extensions: string,
  tour: TourKind | undefined,
): Promise<string> {
  const purpose = tour === undefined ? "state" : `tour ${tour}`;
  const mac = (await digest(`${purpose} ${browser.secret} ${name}${extensions}`)).slice(0, 22);
  return `${name}${mac}${extensions}`;
}
