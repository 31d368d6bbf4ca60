/**
 * Informs clients when a session has ended: by calls (OpenID Connect Back-Channel Logout), and by frames on the logout
 * page, in which they end their own session in the browser (OpenID Connect Front-Channel Logout).
 */

import { sessionIdFor, subjectFor } from "../../token/subjects.ts";
import { findClientOf } from "../../clients/generations.ts";
import { metadataOf } from "../../config/client_metadata.ts";
import { warn } from "../../trace.ts";
import type { ListedRecord } from "../../../core/store/store.ts";
import type { Client } from "../../../core/clients/clients.ts";
import { type PostResult, postToClient } from "../../fetching/post_to_client.ts";
import { dueRecords, leaseRecord } from "../../stored/records.ts";
import { randomId } from "../../../core/keys/secrets.ts";
import { secondsNow } from "../../../core/keys/jwt.ts";
import type { HostedServer } from "../../hosted_server.ts";
import type { LogoutFrame } from "../../token/session_tracker.ts";
import { finalClaims } from "../../token/claim_change.ts";
import { logoutStore, type SessionClientRecord } from "./records.ts";
import { clientLogoutOf } from "./settings.ts";
import {
  claimSessionClients,
  logoutCallPrefix,
  type PendingLogoutCall,
  scheduleCall,
  type StoredCall,
} from "./session_clients.ts";
import { appendToRedirectUri } from "../../../core/clients/redirect_uri.ts";
import type { Server } from "../../../core/server.ts";
import { clientLogoutTexts } from "./explain.ts";

export { findSessions, listSessionClients, recordSessionClient } from "./session_clients.ts";

/** The lifetime of a logout token, in seconds (Back-Channel Logout §4 recommends two minutes at most). */
export const logoutTokenLifetimeSeconds = 120;

/** Maximum number of calls that one maintenance run repeats. */
const maxRepeatedCalls = 100;

/** The member of `events` (Back-Channel Logout §2.4). */
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";

/**
 * Calls the clients of a session that has ended. If instances call this function concurrently for one session, each
 * client is called once.
 *
 * @returns The logins that this call has ended, including logins at clients without a `backchannel_logout_uri`. It
 *   waits for the clients no longer than `clientLogout.timeout`.
 */
export async function logOutClients(
  server: HostedServer,
  records: readonly ListedRecord<SessionClientRecord>[],
): Promise<readonly SessionClientRecord[]> {
  const claimed = await claimSessionClients(server, records);
  await callClients(server, claimed.flatMap(({ call }) => call ?? []));
  return claimed.map(({ login }) => login);
}

/** Repeats the calls that are due, and those of processes that ended. Only one instance repeats each call. */
export async function repeatLogoutCalls(server: HostedServer): Promise<void> {
  const store = logoutStore(server);
  const calls = await store.list("logout_call", { prefix: logoutCallPrefix(server), limit: maxRepeatedCalls });
  const leased = dueRecords(server, calls).map((call) => leaseRecord(server, store, "logout_call", call));
  await callClients(server, (await Promise.all(leased)).filter((call) => call !== undefined));
}

/** Calls clients at the same time, and waits for them no longer than `clientLogout.timeout`. */
async function callClients(server: HostedServer, calls: readonly StoredCall[]): Promise<void> {
  const signal = AbortSignal.timeout(clientLogoutOf(server).timeout * 1000);
  await Promise.all(calls.map((call) => callClient(server, call, signal)));
}

/** Makes a call. It is deleted only after the response, or after the next call is stored. */
async function callClient(server: HostedServer, { id, value: call }: StoredCall, signal: AbortSignal): Promise<void> {
  const { clientId, sid, attempts } = call;
  const result = await post(server, call, signal);
  const next = result?.isTemporary ? await scheduleCall(server, { ...call, attempts: attempts + 1 }) : undefined;
  await logoutStore(server).delete("logout_call", id);
  if (result === undefined) return;
  const { status, received } = result;
  const retryAt = next?.value.dueAt;
  server.trace({
    ...{ type: "back_channel_logout", at: server.now(), client: clientId, sid, attempt: attempts + 1 },
    ...status !== undefined && { status },
    ...retryAt !== undefined && { retryAt },
  });
  if (status === 200 || status === 204) return;
  warn(server, clientId, {
    rule: "BL-09",
    reason: `the back-channel logout of the client failed, ${
      retryAt === undefined ? "and is not repeated" : `the next attempt is at ${new Date(retryAt).toISOString()}`
    }`,
    expected: "status 200 or 204 from the backchannel_logout_uri of the client",
    received,
    fix: clientLogoutTexts["BL-09"].fix,
  });
}

/** Posts a logout token (Back-Channel Logout §2.5), unless the client no longer has the URI. */
async function post(
  server: HostedServer,
  call: PendingLogoutCall,
  signal: AbortSignal,
): Promise<PostResult | undefined> {
  const client = await findClientOf(server, call);
  const uri = client && metadataOf(client).backchannel_logout_uri;
  if (client === undefined || uri === undefined || !clientLogoutOf(server).backChannel) return undefined;
  const request = {
    ...{ url: uri, signal, timeoutSeconds: clientLogoutOf(server).timeout },
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: async () => `${new URLSearchParams({ logout_token: await createLogoutToken(server, client, call) })}`,
    // §2.8.
    errorMembers: ["error", "error_description"],
  };
  return await postToClient(server, client, request);
}

/** Creates the token that logs a client out (§2.4). It is valid for {@link logoutTokenLifetimeSeconds}, by default. */
export async function createLogoutToken(
  server: HostedServer,
  client: Client,
  { sub, sid, issuer = server.issuer }: Pick<SessionClientRecord, "sub" | "sid" | "issuer">,
  lifetimeSeconds = logoutTokenLifetimeSeconds,
): Promise<string> {
  const now = secondsNow(server);
  const claims = {
    iss: issuer,
    sub: await subjectFor(server, client, sub),
    aud: client.id,
    iat: now,
    exp: now + lifetimeSeconds,
    jti: randomId(server.randomBytes),
    sid: await sessionIdFor(server, client, sid),
    events: { [logoutEvent]: {} },
  };
  const grant = { id: sid, scope: [], resources: [] };
  return await server.keys.sign(
    "logout_token",
    client.idTokenAlg,
    finalClaims(server, "logout_token", claims, { client, grant }),
  );
}

/** The frames for logins that have ended, one for each client with a `frontchannel_logout_uri`. */
export async function logoutFrames(
  server: Server,
  logins: readonly SessionClientRecord[],
): Promise<readonly LogoutFrame[]> {
  const frames = logins.map(async (login) => {
    const { sid, issuer = server.issuer } = login;
    const client = await findClientOf(server, login);
    const uri = client && metadataOf(client).frontchannel_logout_uri;
    if (client === undefined || uri === undefined) return [];
    const identifiers = [["iss", issuer], ["sid", await sessionIdFor(server, client, sid)]] as const;
    return [{ client: client.name ?? client.id, src: appendToRedirectUri(uri, identifiers) }];
  });
  return (await Promise.all(frames)).flat();
}
