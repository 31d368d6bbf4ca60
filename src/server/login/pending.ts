/**
 * Pending authorizations. The browser carries them in the parameter `interaction`, encoded with a MAC, so that requests
 * without a login cannot fill the store. The store only records which of them are finished.
 */

import { ensureBrowserCookie } from "../../core/sessions/browser_cookie.ts";
import type { Context } from "../../core/http/context.ts";
import type { Destination, PendingAuthorization } from "../../core/authorize/authorization_request.ts";
import type { Client } from "../../core/clients/clients.ts";
import { withErrors } from "../../core/responses/error_response.ts";
import type { OAuthError } from "../../core/rules/errors.ts";
import type { HttpResponse } from "../../core/http/message.ts";
import { digest, randomId, storageKey } from "../../core/keys/secrets.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { Server } from "../../core/server.ts";
import { decodeWithMac, encodeWithMac, type Session } from "../../core/sessions/session.ts";
import { csrfToken } from "../pages/csrf.ts";
import { type AuthorizationDetails, detailsSlot, hasAuthorizationDetails } from "../token/authorization_details.ts";
import { generationOfClient, type KeptRequest, keptRequest } from "../clients/generations.ts";
import { storeOf } from "../stored/records.ts";
import { networkFromAddress } from "../../platform/http/ip_address.ts";
import { rejectLogin } from "../rules/login.ts";
import { reject } from "../rules/mod.ts";
import type { LostLoginFacts } from "../rules/pages.ts";
import { deliveryTo, isPolled } from "../stored/delivery.ts";
import { storedRequest, storedRequests } from "../stored/stored_requests.ts";

const pendingLifetimeSeconds = 30 * 60;

/** Maximum size of the encoded content, in bytes of JSON: proxies accept 8 KiB of request line. */
const maxContentBytes = 5632;

const pendingStore = storeOf<{
  /** Finished authorization requests, by the digest of the interaction, and when they were finished. */
  interaction: { readonly at: number };
}>;

/** A pending authorization that a browser carries. */
export interface Interaction extends PendingAuthorization {
  /** The value of the parameter `interaction`: `name.content.mac`. */
  readonly id: string;
  /** The same for each encoding of one request: only one of them can be finished. */
  readonly name: string;
  /** The secret of the browser that began it; absent if any browser may continue it with its own cookies. */
  readonly browser?: string;
}

/** The encoded content. The browser can read it: it has what the client sent, and a name that the user typed. */
interface InteractionContent {
  /** The request, whole, except for access that is stored. */
  readonly request: KeptRequest;
  /**
   * Whether the stored request, pushed or of a device, has authorization details, which may be long and confidential
   * (RFC 9396 §12).
   */
  readonly hasStoredAccess?: true;
  /** Where the response goes. */
  readonly destination: Destination;
  /** The digest of the secret of the browser. */
  readonly browser?: string;
  /** Milliseconds since the epoch. */
  readonly validUntil: number;
}

/**
 * Encodes a pending authorization.
 *
 * @returns The value of the parameter `interaction`.
 * @throws {OAuthError} If it is too large.
 */
export async function encodePending(
  server: Server,
  { request, destination, client }: PendingAuthorization,
  { name = randomId(server.randomBytes), browser }: { readonly name?: string; readonly browser?: string } = {},
): Promise<string> {
  const kept = keptRequest(request, client);
  const content: InteractionContent = {
    ...isStored(destination) && hasAuthorizationDetails(request)
      ? { request: detailsSlot.put(kept, undefined), hasStoredAccess: true }
      : { request: kept },
    destination,
    browser: browser === undefined ? undefined : await digest(browser),
    validUntil: server.now() + pendingLifetimeSeconds * 1000,
  };
  const encoded = await encodeWithMac(server, macPurpose(name), content);
  const bytes = Math.floor(encoded.indexOf(".") * 3 / 4);
  if (bytes > maxContentBytes) throw reject("AZ-13", { bytes, limit: maxContentBytes });
  return `${name}.${encoded}`;
}

/**
 * Continues the pending authorization that a page or form carries.
 *
 * @param id The value of the parameter `interaction`.
 * @throws {OAuthError} If this server did not encode it, or it is finished, expired, or of another browser.
 */
export async function continuePending(
  context: Context<HostedServer>,
  id: string | undefined,
  action: (pending: Interaction) => Promise<HttpResponse | Response>,
): Promise<HttpResponse | Response> {
  const { server } = context;
  const [name = "", ...encoded] = id?.split(".") ?? [];
  const content = await decodeWithMac(server, macPurpose(name), encoded.join(".")) as InteractionContent | undefined;
  if (id === undefined || content === undefined) throw lostLogin({ problem: "unknown" });
  const { request: { clientGeneration, ...request }, hasStoredAccess, destination, browser, validUntil } = content;
  const finished = await pendingStore(server).get("interaction", await storageKey(server, name));
  if (finished !== undefined) {
    throw lostLogin({ finishedAt: finished.value.at });
  }
  if (server.now() >= validUntil) throw lostLogin({ problem: "expired" });
  const client = await server.clients.find(request.clientId);
  const isSame = client !== undefined && generationOfClient(client) === clientGeneration;
  if (!isSame || !mayReceive(server, client, destination)) {
    throw lostLogin({ problem: "client changed" });
  }
  return await withErrors(context, { client }, async () => {
    const scope = request.scope.filter((token) => client.allowsScope(token));
    const carried = { ...request, scope };
    const complete = hasStoredAccess ? detailsSlot.put(carried, await storedDetails(server, destination)) : carried;
    const pending = { request: complete, destination, client };
    if (browser === undefined) return await action({ ...pending, id, name });
    const { secret } = await ensureBrowserCookie(context, "login");
    if (await digest(secret) !== browser) {
      throw lostLogin({ problem: "other browser" });
    }
    server.passed("UI-14");
    return await action({ ...pending, id, name, browser: secret });
  });
}

function isStored(destination: Destination): boolean {
  return isPolled(destination) || storedRequest.of(destination) !== undefined;
}

/** The authorization details of a stored request. */
async function storedDetails(
  server: HostedServer,
  destination: Destination,
): Promise<AuthorizationDetails | undefined> {
  if (isPolled(destination)) return await deliveryTo(server, destination).findDetails(server, destination);
  const details = await storedRequests(server).findDetails(server, storedRequest.of(destination)!);
  if (details === undefined) throw lostLogin({ problem: "stored request expired" });
  return details;
}

function mayReceive(server: HostedServer, client: Client, destination: Destination): boolean {
  return isPolled(destination)
    ? deliveryTo(server, destination).mayReceive(client)
    : client.allowsRedirectUri(destination.uri, server);
}

/**
 * Marks a pending authorization as finished. Of concurrent calls one succeeds.
 *
 * @throws {OAuthError} For all other calls.
 */
export async function consumePending(server: Server, { name }: Interaction): Promise<void> {
  const at = server.now();
  // Another encoding of the same name may have been made until now and expire later than this one.
  const expiresAt = at + pendingLifetimeSeconds * 1000;
  if (await pendingStore(server).add("interaction", await storageKey(server, name), { at }, { expiresAt })) return;
  throw lostLogin({ problem: "finished a moment ago" });
}

/** The proof that the user of a session has passed the login page of an interaction, or did not need to. */
export async function loginProof({ server }: Context, id: string, { sid }: Session): Promise<string> {
  return await csrfToken(server, sid, `logged in for ${id}`);
}

/** Maximum number of cancellations that are stored without a session: per network, and in total. */
const maxCancellations = { perNetwork: 100, total: 10_000 } as const;

/** Sends `access_denied` to the client. @param isStored Whether the request is marked as finished. Default: true. */
export async function denyPending(
  context: Context,
  pending: Interaction,
  denied: "login" | "consent",
  isStored = true,
): Promise<HttpResponse | Response> {
  if (isStored) await consumePending(context.server, pending);
  return await withErrors(context, pending, () => {
    throw rejectLogin("AZ-21", { denied });
  });
}

/**
 * Creates the function that cancels logins. It limits how many cancellations are stored for browsers without a session,
 * so that they cannot fill the store. A cancelled request that is not stored can be continued by its own browser only.
 */
export function loginCancellation(): (
  context: Context,
  pending: Interaction,
  session: Session | undefined,
) => Promise<HttpResponse | Response> {
  const isBelowLimit = cancellationLimiter();
  return async (context, pending, session) => {
    const { server, target } = context;
    const isStored = session !== undefined || isBelowLimit(server.now(), target.clientAddress.address);
    return await denyPending(context, pending, "login", isStored);
  };
}

/** Counts cancellations. The function returns true below the limits. */
function cancellationLimiter(): (now: number, address: string | undefined) => boolean {
  const countByNetwork = new Map<string, number>();
  let total = 0;
  let windowStartedAt = -Infinity;
  return (now, address = "") => {
    if (Math.abs(now - windowStartedAt) >= pendingLifetimeSeconds * 1000) {
      countByNetwork.clear();
      total = 0;
      windowStartedAt = now;
    }
    const network = networkFromAddress(address);
    const count = countByNetwork.get(network) ?? 0;
    if (total >= maxCancellations.total || count >= maxCancellations.perNetwork) return false;
    countByNetwork.set(network, count + 1);
    total++;
    return true;
  };
}

/** The purpose of the MAC. It contains the name, so that the name cannot be exchanged. */
function macPurpose(name: string): string {
  return `pending request ${name}`;
}

/** The error of a login that cannot continue: only the user can begin again, and the client may have its response. */
function lostLogin(facts: LostLoginFacts): OAuthError {
  return reject("UI-14", facts, { forUser: true });
}
