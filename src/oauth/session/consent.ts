/** What people have allowed: remembered for a while, so that the same question is not asked twice, and taken back. */

import type { Soon } from "../maybe_promise.ts";
import type { AuthorizationRequest } from "../authorize/authorization_request.ts";
import { isCovered } from "../claims.ts";
import { endFamily } from "../grants/family.ts";
import { isLoopback } from "../test_hosts.ts";
import { digest, shelfId } from "../secrets.ts";
import type { Server } from "../server.ts";
import type { ConsentRecord, Entry } from "../../store/store.ts";

/** The consent of this user to this client, until it is revoked or nothing issued under it can be valid. */
export async function findConsent(
  server: Server,
  sub: string,
  clientId: string,
): Promise<Entry<ConsentRecord> | undefined> {
  const entry = await server.store.get("consent", await consentId(server, sub, clientId));
  if (entry === undefined || server.now() >= entry.expiresAt) return undefined;
  return await isTakenBack(server, entry.value.name) ? undefined : entry;
}

/** An earlier consent that covers the request; `undefined` if the user must be asked. */
export async function recallConsent(
  server: Server,
  asked: AuthorizationRequest,
  sub: string,
): Promise<ConsentRecord | undefined> {
  if (asked.wishes.prompt.includes("consent") || doubtOf(asked) !== undefined) return undefined;
  const entry = await findConsent(server, sub, asked.client.id);
  // Nothing may outlive the record that is needed to revoke it, even if token lifetimes have been increased since.
  if (entry === undefined || server.now() + longestLife(server) > entry.expiresAt) return undefined;
  const allowed = allowedBefore(server, asked, entry.value);
  const covers = asked.scope.every((token) => allowed.includes(token)) &&
    claimsByName(server, asked, allowed).every((name) => entry.value.claims.includes(name));
  if (!covers) return undefined;
  server.held?.("UI-11");
  return entry.value;
}

/** The scope values allowed for every resource of a request, while the consent is valid. */
export function allowedBefore(
  server: Server,
  asked: AuthorizationRequest,
  consent: ConsentRecord | undefined,
): readonly string[] {
  if (consent === undefined || server.now() >= consent.validUntil) return [];
  const [first = [], ...others] = audiencesOf(server, asked).map((uri) => scopesOf(consent).get(uri) ?? []);
  return first.filter((token) => others.every((scope) => scope.includes(token)));
}

/**
 * Who could impersonate the client (OAuth 2.1 §7.3.1); `undefined` if its secret or its redirect URI identifies it. Any
 * program on a device can listen on a loopback port or claim a private-use scheme, and over plain http an attacker on
 * the network can read the response.
 */
export function doubtOf({ client, destination }: AuthorizationRequest): "device" | "network" | undefined {
  if (client.confidential) return undefined;
  if (staysOnDevice(destination.uri)) return "device";
  return new URL(destination.uri).protocol === "http:" ? "network" : undefined;
}

/** Whether a redirect URI leads to a program on the user's own device. */
export function staysOnDevice(uri: string): boolean {
  const { protocol, hostname } = new URL(uri);
  return !/^https?:$/.test(protocol) || isLoopback(hostname);
}

/** The claims that are asked for by name and that no allowed scope value shows anyway (OpenID Connect Core §5.5). */
export function claimsByName(
  { claims: rules }: Server,
  { wishes, scope }: AuthorizationRequest,
  allowed: readonly string[] = scope,
): string[] {
  const { userinfo = [], id_token = [] } = wishes.claims ?? {};
  return [...new Set([...userinfo, ...id_token])].filter((name) => !isCovered(rules, name, allowed));
}

/**
 * Merges what a user has just allowed and denied into their earlier consent.
 *
 * @returns The consent's name; `undefined` if nothing is allowed.
 */
export async function rememberConsent(
  server: Server,
  asked: AuthorizationRequest,
  sub: string,
  scope: readonly string[],
): Promise<string | undefined> {
  const id = await consentId(server, sub, asked.client.id);
  const entry = await server.store.get("consent", id);
  const name = await nextName(server, entry?.value.name ?? id);
  const known = entry?.value.name === name ? entry.value : undefined;
  if (known === undefined && scope.length === 0) return undefined;
  const at = server.now();
  const before = known !== undefined && at < known.validUntil ? known : undefined;
  const refused = asked.scope.filter((token) => !scope.includes(token));
  const scopes = new Map(before && scopesOf(before));
  for (const uri of audiencesOf(server, asked)) {
    const allowed = [...new Set([...scopes.get(uri) ?? [], ...scope])].filter((token) => !refused.includes(token));
    if (allowed.length > 0) scopes.set(uri, allowed);
    else scopes.delete(uri);
  }
  const claims = [...new Set([...before?.claims ?? [], ...claimsByName(server, asked, [])])];
  await server.store.put("consent", id, {
    name,
    scopes: Object.fromEntries(scopes),
    claims: claims.filter((claim) =>
      !isCovered(server.claims, claim, refused) || isCovered(server.claims, claim, scope)
    ),
    at,
    validUntil: at + server.lifetimes.refresh_token * 1000,
  }, { expiresAt: at + 2 * longestLife(server) });
  // Revoked in the meantime: the new consent is stored alone, under the next name.
  return await isTakenBack(server, name) ? await rememberConsent(server, asked, sub, scope) : name;
}

/** Revokes a consent, and the refresh tokens and codes issued under it. */
export async function takeBack(server: Server, sub: string, clientId: string): Promise<void> {
  const entry = await findConsent(server, sub, clientId);
  if (entry === undefined) return;
  // The latter also revokes a consent that is being stored at the same time.
  const lastsUntil = Math.max(entry.expiresAt, server.now() + 2 * longestLife(server));
  await endFamily(server, entry.value.name, "the user took the consent back", lastsUntil);
}

/** The audiences of the access tokens of a request. */
function audiencesOf(server: Server, { resources }: AuthorizationRequest): readonly string[] {
  return resources.length === 0 ? [server.audience] : resources;
}

/** Records of former versions do not map scope values to resources: they cover nothing. */
function scopesOf({ scopes = {} }: Partial<ConsentRecord>): Map<string, readonly string[]> {
  return new Map(Object.entries(scopes));
}

/** Maximum lifetime of a code or refresh token that is issued now, in milliseconds. */
function longestLife({ lifetimes }: Server): number {
  return Math.max(lifetimes.code, lifetimes.refresh_token) * 1000;
}

/**
 * The first name, from this one on, that is not revoked. Each name is derived from the one before, the first from user
 * and client. So two windows that consent at the same time use one name, and its revocation ends the grants of both.
 */
async function nextName(server: Server, name: string): Promise<string> {
  let next = name;
  while (await isTakenBack(server, next)) next = await digest(next);
  return next;
}

async function isTakenBack({ store }: Server, name: string): Promise<boolean> {
  return await store.get("ended_family", name) !== undefined;
}

function consentId(server: Server, sub: string, clientId: string): Soon<string> {
  return shelfId(server, JSON.stringify([sub, clientId]));
}
