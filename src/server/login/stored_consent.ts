/**
 * Consents: the scope values and claims that users have allowed. They are stored, so that users are not asked again and
 * can revoke them.
 */

import type { HostedClient } from "../config/client_metadata.ts";
import { clientIdentity } from "../clients/changed_client.ts";
import type { User } from "../../core/clients/client.ts";
import type { Client } from "../../core/clients/clients.ts";
import type { Approval } from "../../core/authorize/approval.ts";
import type { AuthorizationRequest, PendingAuthorization } from "../../core/authorize/authorization_request.ts";
import { isReleasedByScope } from "../../core/clients/claims.ts";
import { revokeGrant } from "../../core/store/grant.ts";
import { redirectsToDevice } from "../../core/clients/redirect_uri.ts";
import { digest, storageKey } from "../../core/keys/secrets.ts";
import type { Server } from "../../core/server.ts";
import { generationOfClientId } from "../clients/generations.ts";
import { generationOf } from "../clients/users.ts";
import { again, changeRecord } from "../../core/store/change.ts";
import type { StoredRecord } from "../../core/store/store.ts";
import type { WithExtensions } from "../../core/slot.ts";
import { storeOf } from "../stored/records.ts";
import { namedClaims } from "../token/requested_claims.ts";
import { isPolled } from "../stored/delivery.ts";
import { resourcesOf } from "../token/resources.ts";

/** The consent of a user to a client, so that they are not asked twice. Times are in milliseconds. */
interface ConsentRecord {
  /** Identifies the consent, so that everything issued under it can be revoked together. */
  readonly name: string;
  /** The allowed scope values by resource (RFC 8707); the default audience has its own entry. */
  readonly scopes: Readonly<Record<string, readonly string[]>>;
  readonly claims: readonly string[];
  /** The digest of the identity of a client with a metadata document: the consent is valid for that identity only. */
  readonly identity?: string;
  /** When the user was last asked. */
  readonly at: number;
  /** When the user must be asked again. The record is kept until everything issued under it has expired. */
  readonly validUntil: number;
}

const consentStore = storeOf<{
  /** Consents, by the digest of user and client. */
  consent: ConsentRecord;
}>;

/** The consent of this user to this client, until it is revoked or nothing issued under it can be valid. */
export async function findConsent(
  server: Server,
  user: User,
  clientId: string,
): Promise<StoredRecord<ConsentRecord> | undefined> {
  const record = await consentStore(server).get("consent", await consentId(server, user, clientId));
  if (record === undefined || server.now() >= record.expiresAt) return undefined;
  return await isConsentRevoked(server, record.value.name) ? undefined : record;
}

/**
 * An earlier consent that covers the request; `undefined` if the user must be asked. A client that is not registered
 * exists on test hosts alone and needs none.
 */
export async function reusableConsent(
  server: Server,
  pending: PendingAuthorization,
  user: User,
): Promise<Partial<Pick<ConsentRecord, "name">> | undefined> {
  const { request } = pending;
  // Other access is for one request: a consent to scope values does not cover it (RFC 9396 §3.1).
  if (hasOtherAccess(server, request) || request.loginRequirements.prompt.includes("consent")) return;
  const { isUnregistered }: HostedClient = pending.client;
  if (isUnregistered) return {};
  if (impersonationRisk(pending) !== undefined) return;
  const record = await findConsent(server, user, request.clientId);
  // Nothing may outlive the record that is needed to revoke it, even if token lifetimes have been increased since.
  if (record === undefined || server.now() + maxGrantLifetimeMs(server) > record.expiresAt) return undefined;
  if (record.value.identity !== clientIdentity(pending.client)) return undefined;
  const allowed = previouslyAllowedScope(server, pending, record.value);
  const isSufficient = request.scope.every((token) => allowed.includes(token)) &&
    individuallyRequestedClaims(server, request, allowed).every((name) => record.value.claims.includes(name));
  if (!isSufficient) return undefined;
  server.passed("UI-11");
  return record.value;
}

/** Whether a request or an approval has access besides scope values, by an extension. */
function hasOtherAccess({ grants }: Server, { extensions }: WithExtensions): boolean {
  return !grants.isEmpty({ scope: [], extensions });
}

/**
 * The scope values allowed for every resource of a request, as long as the consent is valid. For a client that no
 * operator registered, the redirect URIs, method and keys must be unchanged.
 */
export function previouslyAllowedScope(
  server: Server,
  { request, client }: PendingAuthorization,
  consent: ConsentRecord | undefined,
): readonly string[] {
  if (consent === undefined || server.now() >= consent.validUntil) return [];
  if (consent.identity !== clientIdentity(client)) return [];
  const scopes = new Map(Object.entries(consent.scopes));
  const [first = [], ...others] = requestAudiences(server, request).map((uri) => scopes.get(uri) ?? []);
  return first.filter((token) => others.every((scope) => scope.includes(token)));
}

/**
 * Who could impersonate the client (OAuth 2.1 §7.3.1); `undefined` if its secret or its redirect URI identifies it. Any
 * program on a device can listen on a loopback port or claim a private-use scheme. Over plain http, an attacker on the
 * network can read the response. An attacker may send the user the user code of another device (RFC 8628 §5.4).
 */
export function impersonationRisk(
  { client, destination }: PendingAuthorization,
): "code" | "device" | "network" | undefined {
  return isPolled(destination) ? "code" : redirectRisk(client, destination.uri);
}

function redirectRisk({ confidential }: Client, redirectUri: string): "device" | "network" | undefined {
  if (confidential) return undefined;
  if (redirectsToDevice(redirectUri)) return "device";
  return new URL(redirectUri).protocol === "http:" ? "network" : undefined;
}

/** Whether users are asked at every request of a client, because no consent to it can be reused. */
export function isAlwaysAsked(client: Client): boolean {
  return client.redirectUris.every((uri) => redirectRisk(client, uri) !== undefined);
}

/** The claims requested by name that no allowed scope value releases (OpenID Connect Core §5.5). */
export function individuallyRequestedClaims(
  { claims: rules }: Server,
  request: AuthorizationRequest,
  allowed: readonly string[] = request.scope,
): string[] {
  const { userinfo = [], id_token = [] } = namedClaims.of(request) ?? {};
  return [...new Set([...userinfo, ...id_token])].filter((name) => !isReleasedByScope(rules, name, allowed));
}

/**
 * Merges what a user has just allowed and denied into their earlier consent.
 *
 * @returns The consent's name; `undefined` if nothing is allowed.
 */
export async function saveConsent(...args: Parameters<typeof mergeConsent>): Promise<string | undefined> {
  return await changeRecord("consent", () => mergeConsent(...args));
}

async function mergeConsent(
  server: Server,
  pending: PendingAuthorization,
  user: User,
  approval: Pick<Approval, "scope"> & WithExtensions,
): Promise<string | undefined | typeof again> {
  const { request } = pending;
  const { scope } = approval;
  const identity = clientIdentity(pending.client);
  const id = await consentId(server, user, request.clientId);
  const store = consentStore(server);
  const record = await store.get("consent", id);
  const name = await nextConsentName(server, record?.value.name ?? id);
  const current = record?.value.name === name ? record.value : undefined;
  if (current === undefined && scope.length === 0 && !hasOtherAccess(server, approval)) return undefined;
  const at = server.now();
  const isCurrent = current !== undefined && at < current.validUntil && current.identity === identity;
  const previous = isCurrent ? current : undefined;
  const deniedScope = request.scope.filter((token) => !scope.includes(token));
  const scopes = new Map(Object.entries(previous?.scopes ?? {}));
  for (const uri of requestAudiences(server, request)) {
    const allowed = [...new Set([...scopes.get(uri) ?? [], ...scope])].filter((token) => !deniedScope.includes(token));
    if (allowed.length > 0) scopes.set(uri, allowed);
    else scopes.delete(uri);
  }
  const claims = [...new Set([...previous?.claims ?? [], ...individuallyRequestedClaims(server, request, [])])];
  const consent = {
    name,
    scopes: Object.fromEntries(scopes),
    claims: claims.filter((claim) =>
      !isReleasedByScope(server.claims, claim, deniedScope) || isReleasedByScope(server.claims, claim, scope)
    ),
    ...identity !== undefined && { identity },
    at,
    validUntil: at + server.policy.lifetimes.refresh_token * 1000,
  };
  const metadata = { expiresAt: at + 2 * maxGrantLifetimeMs(server) };
  const isSaved = record === undefined
    ? await store.add("consent", id, consent, metadata)
    : await store.replace("consent", id, record.value, consent, metadata);
  // If another instance has changed it, or it was revoked meanwhile, only the new consent is stored, under the next
  // name.
  return isSaved && !await isConsentRevoked(server, name) ? name : again;
}

/** Revokes a consent, and the refresh tokens and codes issued under it. */
export async function revokeConsent(server: Server, user: User, clientId: string): Promise<void> {
  const record = await findConsent(server, user, clientId);
  if (record === undefined) return;
  // Twice the lifetime also covers a consent that is being stored at the same time.
  const revocationExpiresAt = Math.max(record.expiresAt, server.now() + 2 * maxGrantLifetimeMs(server));
  await revokeGrant(server, record.value.name, "the user revoked the consent", revocationExpiresAt);
}

/** The audiences of the access tokens of a request. */
function requestAudiences(server: Server, request: AuthorizationRequest): readonly string[] {
  const resources = resourcesOf(request);
  return resources.length === 0 ? [server.audience] : resources;
}

/** Maximum lifetime of a code or refresh token that is issued now, in milliseconds. */
function maxGrantLifetimeMs({ policy: { lifetimes } }: Server): number {
  return Math.max(lifetimes.code, lifetimes.refresh_token) * 1000;
}

/**
 * The first name, from this one on, that is not revoked. Each name is derived from the previous name, and the first
 * name from user and client. Two windows that consent at the same time thus use one name, whose revocation ends the
 * grants of both.
 */
async function nextConsentName(server: Server, name: string): Promise<string> {
  let next = name;
  while (await isConsentRevoked(server, next)) next = await digest(next);
  return next;
}

async function isConsentRevoked({ store }: Server, name: string): Promise<boolean> {
  return await store.get("revocation", name) !== undefined;
}

/** The id of a consent: another one for a user or a client that was removed and added again. */
async function consentId(server: Server, user: User, clientId: string): Promise<string> {
  const generations = [generationOf(user), await generationOfClientId(server, clientId)];
  while (generations.length > 0 && generations.at(-1) === undefined) generations.pop();
  return await storageKey(server, JSON.stringify([user.sub, clientId, ...generations]));
}
