/**
 * Pending authorization requests. The browser carries them, sealed, so that requests without a login cannot fill the
 * store: it records only which requests are finished.
 */

import { ensureBrowserCookie } from "../app/browser_cookie.ts";
import type { Context } from "../app/context.ts";
import { responseModes } from "../oauth/authorize/destination.ts";
import type { AuthorizationRequest } from "../oauth/authorize/authorization_request.ts";
import { OAuthError } from "../oauth/errors.ts";
import { allowedSubjects } from "../oauth/authorize/openid.ts";
import type { LoginRequirements } from "../oauth/authorize/openid.ts";
import { digest, randomId, storageKey } from "../oauth/secrets.ts";
import type { Server } from "../oauth/server.ts";
import { decodeWithMac, encodeWithMac } from "../oauth/session/session.ts";
import { networkFromAddress } from "../runtime/ip_address.ts";

/** How long a person may take, in seconds. */
const pendingLifetimeSeconds = 30 * 60;

/** As much of a `login_hint` as is kept, in characters. */
const maxLoginHintLength = 255;

/** Maximum size of a carried request, in bytes of JSON: as a query it must fit into the 8 KiB that proxies accept. */
const maxPayloadBytes = 5632;

/** A request that waits for a user. */
export interface PendingAuthorization {
  /** Its id in pages and forms: the sealed request itself. */
  readonly id: string;
  /** Its name, the same in every browser: only one request of this name can be finished. */
  readonly name: string;
  readonly request: AuthorizationRequest;
  /** The secret of the browser that began it; absent if any browser may continue it with its own cookies. */
  readonly browser?: string;
}

/** The sealed content. It is signed, not encrypted, so it holds only what the client sent. */
interface PendingPayload {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly mode: string;
  readonly state?: string;
  readonly scope: readonly string[];
  readonly codeChallenge?: string;
  readonly nonce?: string;
  readonly resources: readonly string[];
  /** Without `expectedSubs`, which would reveal which users exist. */
  readonly wishes: LoginRequirements;
  /** The digest of the secret of the browser that sent the request. */
  readonly browser?: string;
  readonly validUntil: number;
}

/**
 * Seals a request and returns its id.
 *
 * @throws {OAuthError} If it is too large to be carried.
 */
export async function encodePending(
  server: Server,
  { destination, client, loginRequirements, ...request }: AuthorizationRequest,
  { name = randomId(server.randomBytes), browser }: { readonly name?: string; readonly browser?: string } = {},
): Promise<string> {
  const payload: PendingPayload = {
    ...request,
    clientId: client.id,
    redirectUri: destination.uri,
    mode: destination.mode,
    state: destination.state,
    wishes: {
      ...loginRequirements,
      expectedSubs: undefined,
      loginHint: loginRequirements.loginHint?.slice(0, maxLoginHintLength),
    },
    browser: browser === undefined ? undefined : await digest(browser),
    validUntil: server.now() + pendingLifetimeSeconds * 1000,
  };
  const encoded = await encodeWithMac(server, signaturePurpose(name), payload);
  const bytes = Math.floor(encoded.indexOf(".") * 3 / 4);
  if (bytes > maxPayloadBytes) {
    throw new OAuthError("invalid_request", "the request is too large to store during login", {
      rule: "AZ-13",
      expected: `parameters of at most ${maxPayloadBytes} bytes of JSON`,
      received: `${bytes} bytes`,
    });
  }
  return `${name}.${encoded}`;
}

/**
 * Reads the request that a page or form carries.
 *
 * @throws {OAuthError} If this server did not seal it, if it is finished or expired, or if it belongs to another
 *   browser.
 */
export async function findPending(
  context: Context,
  id: string | undefined,
): Promise<PendingAuthorization> {
  const { server } = context;
  const [name = "", ...encoded] = id?.split(".") ?? [];
  const payload = await decodeWithMac(server, signaturePurpose(name), encoded.join(".")) as PendingPayload | undefined;
  if (id === undefined || payload === undefined) throw expiredInteraction("this server does not know it");
  const { browser, validUntil } = payload;
  const completion = await server.store.get("interaction", await storageKey(server, name));
  if (completion !== undefined) {
    throw expiredInteraction(`it was finished at ${new Date(completion.value.at).toISOString()}`);
  }
  if (server.now() >= validUntil) throw expiredInteraction("it has expired");
  const request = await restorePending(server, payload);
  if (browser === undefined) return { id, name, request };
  const { secret } = await ensureBrowserCookie(context);
  if (await digest(secret) !== browser) {
    throw expiredInteraction("it was begun in another browser, or cookies are blocked");
  }
  server.passed?.("UI-14");
  return { id, name, request, browser: secret };
}

/**
 * Marks the request as finished. Of concurrent calls only one succeeds.
 *
 * @throws {OAuthError} For everybody else.
 */
export async function consumePending(server: Server, { name }: PendingAuthorization): Promise<void> {
  const at = server.now();
  // Others that bear the name may have been sealed until now, and wait for longer than this one.
  const expiresAt = at + pendingLifetimeSeconds * 1000;
  if (await server.store.add("interaction", await storageKey(server, name), { at }, { expiresAt })) return;
  throw expiredInteraction("it was finished a moment ago");
}

/** Maximum number of marks without a login: per network, and in total. */
const maxCancellations = { perNetwork: 100, total: 10_000 } as const;

/**
 * Counts marks without a login while they are kept; true below the limits. Without a mark, only the browser that
 * cancelled a request can continue it.
 */
export function cancellationLimiter(): (now: number, address: string | undefined) => boolean {
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

/** The sealing purpose of a request; it contains the name. */
function signaturePurpose(name: string): string {
  return `pending request ${name}`;
}

/** The request as it was, under what is registered now. */
async function restorePending(server: Server, payload: PendingPayload): Promise<AuthorizationRequest> {
  const client = await server.clients.find(payload.clientId);
  if (client === undefined || !client.allowsRedirectUri(payload.redirectUri)) {
    throw expiredInteraction("its client has been removed or changed");
  }
  const mode = responseModes.find((supported) => supported === payload.mode)!;
  const { demandedSubs } = payload.wishes;
  const expectedSubs = demandedSubs && await allowedSubjects(server, client, demandedSubs);
  return {
    destination: { client, uri: payload.redirectUri, mode, state: payload.state },
    client,
    scope: payload.scope.filter((token) => client.scope.includes(token)),
    codeChallenge: payload.codeChallenge,
    nonce: payload.nonce,
    resources: payload.resources,
    loginRequirements: { ...payload.wishes, expectedSubs },
  };
}

function expiredInteraction(received: string): OAuthError {
  return new OAuthError("invalid_request", "this login is finished, has expired or belongs to another browser", {
    rule: "UI-14",
    expected: "a pending login of this browser",
    received,
    // Only the user can begin again, and the client may have received its response already.
    forUser: true,
  });
}
