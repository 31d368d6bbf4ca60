/**
 * Authorization requests that wait for a user. The browser carries them from page to page, sealed, so that nobody fills
 * the store by asking: it keeps no more than which of them were finished.
 */

import { recogniseBrowser } from "../endpoints/demo.ts";
import type { Desk } from "../endpoints/endpoint.ts";
import type { Incoming } from "../http/reply.ts";
import { responseModes } from "../oauth/authorization.ts";
import type { AuthorizationRequest } from "../oauth/authorization.ts";
import { meet } from "../oauth/clients.ts";
import { OAuthError } from "../oauth/errors.ts";
import { settleSubs } from "../oauth/openid_request.ts";
import type { LoginWishes } from "../oauth/openid_request.ts";
import { digest, drawName, shelfId } from "../oauth/secrets.ts";
import type { Server } from "../oauth/server.ts";
import { seal, unseal } from "../oauth/session.ts";
import { networkOf } from "../oauth/network.ts";

/** How long a person may take, in seconds. */
const patience = 30 * 60;

/** As much of a `login_hint` as is kept, in characters. */
const longestHint = 255;

/** As much of a request as a browser carries, in bytes of JSON: as a query it has to fit into the 8 KiB of a proxy. */
const mostCarried = 5632;

/** A request that waits for a user. */
export interface Pending {
  /** What pages and forms call it: the request itself, sealed. */
  readonly id: string;
  /** Names it in whatever browser: of all that bear the name, one is finished. */
  readonly name: string;
  readonly asked: AuthorizationRequest;
  /** The secret of the browser that it waits for; absent: for one that sends its cookies. */
  readonly browser?: string;
}

/** What is sealed. Nothing that the client did not send: the text can be read by whoever has it. */
interface Carried {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly mode: string;
  readonly state?: string;
  readonly scope: readonly string[];
  readonly challenge?: string;
  readonly nonce?: string;
  readonly resources: readonly string[];
  /** Without `expectedSubs`, which would tell which users there are. */
  readonly wishes: LoginWishes;
  /** The digest of the browser that asked. */
  readonly browser?: string;
  readonly validUntil: number;
}

/**
 * Seals a request, and gives back what to call it.
 *
 * @throws {OAuthError} Where it is too large to be carried.
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
    throw new OAuthError("invalid_request", "the request is too large to be kept while the user logs in", {
      rule: "AZ-13",
      expected: `state, nonce, claims, resource and the rest in ${mostCarried} bytes of JSON`,
      received: `${bytes} bytes`,
    });
  }
  return `${name}.${sealed}`;
}

/**
 * Reads the request that a page or form carries.
 *
 * @throws {OAuthError} Where it is not one of this server's, finished, too old, or waits for another browser.
 */
export async function findPending(here: Desk, http: Incoming, id: string | undefined): Promise<Pending> {
  const { server } = here;
  const [name = "", ...sealed] = id?.split(".") ?? [];
  const carried = await unseal(server, purposeOf(name), sealed.join(".")) as Carried | undefined;
  if (id === undefined || carried === undefined) throw stale("it is not known here");
  const { browser, validUntil } = carried;
  const mark = await server.store.get("interaction", await shelfId(server, name));
  if (mark !== undefined) throw stale(`it was finished at ${new Date(mark.value.at).toISOString()}`);
  if (server.now() >= validUntil) throw stale("it waited for too long");
  await meet(server.clients, carried.clientId);
  const asked = await recall(server, carried);
  if (browser === undefined) return { id, name, asked };
  const { secret } = await recogniseBrowser(here, http);
  if (await digest(secret) !== browser) throw stale("it was begun in another browser, or cookies are blocked");
  server.held?.("UI-14");
  return { id, name, asked, browser: secret };
}

/**
 * Marks the request as finished: at most one caller gets past this, however often a button is pressed.
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

/** Requests that are marked as finished for users who have not logged in: of one network, and in all. */
const mostMarks = { ofOne: 100, ofAll: 10_000 } as const;

/**
 * Counts what is marked for users who have not logged in, within the time that marks are kept: true while there is room.
 * Without a mark a request that was cancelled can be taken up again by the browser that cancelled it, and by nobody else.
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

/** What a request is sealed for: under its name alone. */
function purposeOf(name: string): string {
  return `pending request ${name}`;
}

/** The request as it was, under what is registered now. */
async function recall(server: Server, carried: Carried): Promise<AuthorizationRequest> {
  const client = server.clients.find(carried.clientId);
  if (client === undefined || !client.mayUse(carried.redirectUri)) {
    throw stale("its client is no longer registered so");
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

/** Whether it is {@link findPending} or {@link finish} that rejects. */
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
