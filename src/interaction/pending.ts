/**
 * Pending authorization requests. The browser carries them, sealed, so that requests without a login cannot fill the
 * store: it records only which requests are finished.
 */

import { recogniseBrowser } from "../app/browser_cookie.ts";
import type { Desk } from "../app/endpoint.ts";
import type { Incoming } from "../http/message.ts";
import { responseModes } from "../oauth/authorize/authorization_request.ts";
import type { AuthorizationRequest } from "../oauth/authorize/authorization_request.ts";
import { meet } from "../oauth/clients/repository.ts";
import { OAuthError } from "../oauth/errors.ts";
import { settleSubs } from "../oauth/authorize/openid.ts";
import type { LoginWishes } from "../oauth/authorize/openid.ts";
import { digest, drawName, shelfId } from "../oauth/secrets.ts";
import type { Server } from "../oauth/server.ts";
import { seal, unseal } from "../oauth/session/session.ts";
import { networkOf } from "../oauth/client_network.ts";

/** How long a person may take, in seconds. */
const patience = 30 * 60;

/** As much of a `login_hint` as is kept, in characters. */
const longestHint = 255;

/** Maximum size of a carried request, in bytes of JSON: as a query it must fit into the 8 KiB that proxies accept. */
const mostCarried = 5632;

/** A request that waits for a user. */
export interface Pending {
  /** Its id in pages and forms: the sealed request itself. */
  readonly id: string;
  /** Its name, the same in every browser: only one request of this name can be finished. */
  readonly name: string;
  readonly asked: AuthorizationRequest;
  /** The secret of the browser that began it; absent if any browser may continue it with its own cookies. */
  readonly browser?: string;
}

/** The sealed content. It is signed, not encrypted, so it holds only what the client sent. */
interface Carried {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly mode: string;
  readonly state?: string;
  readonly scope: readonly string[];
  readonly challenge?: string;
  readonly nonce?: string;
  readonly resources: readonly string[];
  /** Without `expectedSubs`, which would reveal which users exist. */
  readonly wishes: LoginWishes;
  /** The digest of the secret of the browser that sent the request. */
  readonly browser?: string;
  readonly validUntil: number;
}

/**
 * Seals a request and returns its id.
 *
 * @throws {OAuthError} If it is too large to be carried.
 */
export async function sealRequest(
  server: Server,
  { destination, client, wishes, ...asked }: AuthorizationRequest,
  { name = drawName(server.random), browser }: { readonly name?: string; readonly browser?: string } = {},
): Promise<string> {
  const carried: Carried = {
    ...asked,
    clientId: client.id,
    redirectUri: destination.uri,
    mode: destination.mode,
    state: destination.state,
    wishes: { ...wishes, expectedSubs: undefined, loginHint: wishes.loginHint?.slice(0, longestHint) },
    browser: browser === undefined ? undefined : await digest(browser),
    validUntil: server.now() + patience * 1000,
  };
  const sealed = await seal(server, purposeOf(name), carried);
  const bytes = Math.floor(sealed.indexOf(".") * 3 / 4);
  if (bytes > mostCarried) {
    throw new OAuthError("invalid_request", "the request is too large to keep while the user logs in", {
      rule: "AZ-13",
      expected: `all parameters together in at most ${mostCarried} bytes of JSON`,
      received: `${bytes} bytes`,
    });
  }
  return `${name}.${sealed}`;
}

/**
 * Reads the request that a page or form carries.
 *
 * @throws {OAuthError} If this server did not seal it, if it is finished or expired, or if it belongs to another
 *   browser.
 */
export async function findPending(here: Desk, http: Incoming, id: string | undefined): Promise<Pending> {
  const { server } = here;
  const [name = "", ...sealed] = id?.split(".") ?? [];
  const carried = await unseal(server, purposeOf(name), sealed.join(".")) as Carried | undefined;
  if (id === undefined || carried === undefined) throw stale("this server does not know it");
  const { browser, validUntil } = carried;
  const mark = await server.store.get("interaction", await shelfId(server, name));
  if (mark !== undefined) throw stale(`it was finished at ${new Date(mark.value.at).toISOString()}`);
  if (server.now() >= validUntil) throw stale("it has expired");
  await meet(server.clients, carried.clientId);
  const asked = await recall(server, carried);
  if (browser === undefined) return { id, name, asked };
  const { secret } = await recogniseBrowser(here, http);
  if (await digest(secret) !== browser) throw stale("it was begun in another browser, or cookies are blocked");
  server.held?.("UI-14");
  return { id, name, asked, browser: secret };
}

/**
 * Marks the request as finished. Of concurrent calls only one succeeds.
 *
 * @throws {OAuthError} For everybody else.
 */
export async function finish(server: Server, { name }: Pending): Promise<void> {
  const at = server.now();
  // Others that bear the name may have been sealed until now, and wait for longer than this one.
  const expiresAt = at + patience * 1000;
  if (await server.store.add("interaction", await shelfId(server, name), { at }, { expiresAt })) return;
  throw stale("it was finished a moment ago");
}

/** Maximum number of marks without a login: per network, and in total. */
const mostMarks = { ofOne: 100, ofAll: 10_000 } as const;

/**
 * Counts marks without a login while they are kept; true below the limits. Without a mark, only the browser that
 * cancelled a request can continue it.
 */
export function markRoom(): (now: number, address: string | undefined) => boolean {
  const own = new Map<string, number>();
  let all = 0;
  let begun = -Infinity;
  return (now, address = "") => {
    if (Math.abs(now - begun) >= patience * 1000) {
      own.clear();
      all = 0;
      begun = now;
    }
    const network = networkOf(address);
    const count = own.get(network) ?? 0;
    if (all >= mostMarks.ofAll || count >= mostMarks.ofOne) return false;
    own.set(network, count + 1);
    all++;
    return true;
  };
}

/** The sealing purpose of a request; it contains the name. */
function purposeOf(name: string): string {
  return `pending request ${name}`;
}

/** The request as it was, under what is registered now. */
async function recall(server: Server, carried: Carried): Promise<AuthorizationRequest> {
  const client = server.clients.find(carried.clientId);
  if (client === undefined || !client.mayUse(carried.redirectUri)) {
    throw stale("its client has been removed or changed");
  }
  const mode = responseModes.find((known) => known === carried.mode)!;
  const { demandedSubs } = carried.wishes;
  const expectedSubs = demandedSubs && await settleSubs(server, client, demandedSubs);
  return {
    destination: { client, uri: carried.redirectUri, mode, state: carried.state },
    client,
    scope: carried.scope.filter((token) => client.scope.includes(token)),
    challenge: carried.challenge,
    nonce: carried.nonce,
    resources: carried.resources,
    wishes: { ...carried.wishes, expectedSubs },
  };
}

/** Whether {@link findPending} or {@link finish} threw this error. */
export function isStale(refusal: unknown): boolean {
  return refusal instanceof OAuthError && refusal.details.rule === "UI-14";
}

function stale(received: string): OAuthError {
  return new OAuthError("invalid_request", "this login is over, or belongs to another browser", {
    rule: "UI-14",
    expected: "a login that was begun in this browser and waits for an answer",
    received,
  });
}
