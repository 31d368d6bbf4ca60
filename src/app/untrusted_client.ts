/** Clients that no operator registered: an error is shown to the user before it goes to such a client. */

import type { Client } from "../oauth/clients/repository.ts";
import { hasTestHost } from "../oauth/config/settings.ts";
import type { ErrorCode } from "../oauth/errors.ts";
import { chain } from "../oauth/maybe_promise.ts";
import type { MaybePromise } from "../oauth/maybe_promise.ts";
import { redirectsToDevice } from "../oauth/clients/redirect_uri.ts";
import type { Context } from "./context.ts";
import { readSession } from "./session_cookie.ts";

/** The errors of requests without any interaction, which only the client can use. */
const promptNoneErrors: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...["login_required", "consent_required", "interaction_required", "account_selection_required"] as const,
]);

/**
 * Whether neither the operator nor an issuer that the operator trusts registered the client: its `client_id` is the URL of
 * a metadata document, or it registered itself without an initial access token and without a verified software statement.
 */
export function isUntrusted({ registration, document }: Client): boolean {
  if (registration === undefined) return document !== undefined;
  return !registration.usedInitialAccessToken && registration.softwareStatement === undefined;
}

/**
 * Whether an error must be shown to the user before it is sent to the client (open redirect, OAuth 2.1 §7.13.2): the
 * client is untrusted, it is not on the user's device, and the user has not logged in. Test hosts send it immediately,
 * because their clients are under test.
 */
export function isShownFirst(context: Context, code: ErrorCode): MaybePromise<boolean> {
  const { server, clientId, destination, endpoint } = context;
  if (destination?.mode === "device") return false;
  // The pages for login and consent follow an interaction; only the authorization endpoint is in the metadata.
  if (endpoint?.metadataName === undefined || promptNoneErrors.has(code) || hasTestHost(server.issuer)) return false;
  const client = server.clients.findCached(clientId ?? "");
  if (client === undefined || !isUntrusted(client) || redirectsToDevice(destination!.uri)) return false;
  return chain(readSession(context), (session) => session === undefined);
}
