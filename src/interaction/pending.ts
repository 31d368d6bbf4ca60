/** Requests that wait for a person: shelved under the digest of a name nobody can guess, each for one browser. */

import { recogniseBrowser } from "../endpoints/demo.ts";
import type { Desk } from "../endpoints/endpoint.ts";
import type { Incoming } from "../http/reply.ts";
import { responseModes } from "../oauth/authorization.ts";
import type { AuthorizationRequest } from "../oauth/authorization.ts";
import { meet } from "../oauth/clients.ts";
import { OAuthError } from "../oauth/errors.ts";
import { digest, drawSecret, shelfId } from "../oauth/secrets.ts";
import type { Server } from "../oauth/server.ts";
import type { InteractionRecord } from "../store/store.ts";

/** How long a person may take, in seconds. */
const patience = 30 * 60;

/** As much of a `login_hint` as is kept, in characters. */
const longestHint = 255;

/** A request that waits for a person. */
export interface Pending {
  /** What pages and forms call it. */
  readonly id: string;
  readonly asked: AuthorizationRequest;
  /** The secret of the browser that it waits for; absent: for the first one that comes with its cookies. */
  readonly browser?: string;
}

/** Shelves a request, and gives back what to call it. */
export async function shelve(
  server: Server,
  { destination, client, wishes, ...asked }: AuthorizationRequest,
  { id = drawSecret(server.random), browser }: { readonly id?: string; readonly browser?: string } = {},
): Promise<string> {
  const validUntil = server.now() + patience * 1000;
  await server.store.put("interaction", await shelfId(server, id), {
    ...asked,
    clientId: client.id,
    redirectUri: destination.uri,
    mode: destination.mode,
    state: destination.state,
    wishes: { ...wishes, loginHint: wishes.loginHint?.slice(0, longestHint) },
    browser: browser === undefined ? undefined : await digest(browser),
    validUntil,
  }, { expiresAt: validUntil });
  return id;
}

/**
 * Finds the request that a page or form speaks of.
 *
 * @throws {OAuthError} Where it is finished, too old, or waits for another browser.
 */
export async function findPending(here: Desk, http: Incoming, id: string | undefined): Promise<Pending> {
  const { server } = here;
  const entry = id === undefined ? undefined : await server.store.get("interaction", await shelfId(server, id));
  if (id === undefined || entry === undefined) throw stale("it is not known here, or was forgotten");
  const { value, spentAt } = entry;
  if (spentAt !== undefined) throw stale(`it was finished at ${new Date(spentAt).toISOString()}`);
  if (server.now() >= value.validUntil) throw stale("it waited for too long");
  await meet(server.clients, value.clientId);
  const asked = recall(server, value);
  if (value.browser === undefined) return { id, asked };
  const { secret } = await recogniseBrowser(here, http);
  if (await digest(secret) !== value.browser) throw stale("it was begun in another browser, or cookies are blocked");
  server.held?.("UI-14", "the request waits for an answer from this very browser");
  return { id, asked, browser: secret };
}

/**
 * Takes the request off the list of what waits: at most one caller gets past this, however often a button is pressed.
 *
 * @throws {OAuthError} For everybody else.
 */
export async function finish(server: Server, { id }: Pending): Promise<void> {
  if (!await server.store.spend("interaction", await shelfId(server, id), server.now())) {
    throw stale("it was finished a moment ago");
  }
}

/** The request as it was, under what is registered now. */
function recall(server: Server, kept: InteractionRecord): AuthorizationRequest {
  const client = server.clients.find(kept.clientId);
  if (client === undefined || !client.mayUse(kept.redirectUri)) throw stale("its client is no longer registered so");
  const mode = responseModes.find((known) => known === kept.mode)!;
  return {
    destination: { client, uri: kept.redirectUri, mode, state: kept.state },
    client,
    scope: kept.scope.filter((token) => client.scope.includes(token)),
    challenge: kept.challenge,
    nonce: kept.nonce,
    resources: kept.resources,
    wishes: kept.wishes,
  };
}

function stale(received: string): OAuthError {
  return new OAuthError("invalid_request", "this login is over, or belongs to another browser", {
    rule: "UI-14",
    expected: "a login that was begun in this browser and waits for an answer",
    received,
  });
}
