/** What people have allowed: remembered for a while, so that the same question is not asked twice, and taken back. */

import type { Soon } from "../oauth/soon.ts";
import type { AuthorizationRequest } from "../oauth/authorization.ts";
import { scopeOfClaim } from "../oauth/claims.ts";
import { endFamily } from "../oauth/grants/family.ts";
import { isLoopback } from "../oauth/hosts.ts";
import { drawName, shelfId } from "../oauth/secrets.ts";
import type { Server } from "../oauth/server.ts";
import type { ConsentRecord } from "../store/store.ts";

/** The consent that a person has given to this client, as long as it lasts. */
export async function findConsent(server: Server, sub: string, clientId: string): Promise<ConsentRecord | undefined> {
  const entry = await server.store.get("consent", await consentId(server, sub, clientId));
  if (entry === undefined || entry.spentAt !== undefined) return undefined;
  return server.now() < entry.value.validUntil ? entry.value : undefined;
}

/** An earlier consent that makes it needless to ask; `undefined` where the person must be asked. */
export async function recallConsent(
  server: Server,
  asked: AuthorizationRequest,
  sub: string,
): Promise<ConsentRecord | undefined> {
  if (asked.wishes.prompt.includes("consent") || !isRecognised(asked)) return undefined;
  const consent = await findConsent(server, sub, asked.client.id);
  const covers = consent !== undefined && asked.scope.every((token) => consent.scope.includes(token)) &&
    asked.resources.every((uri) => consent.resources.includes(uri)) &&
    claimsByName(asked, consent.scope).every((name) => consent.claims.includes(name));
  if (!covers) return undefined;
  server.held?.("UI-11", "the person allowed this client all of it before, and it can be no other program");
  return consent;
}

/**
 * Whether the redirect URI or a secret tells who the client is. Any program on a machine can listen on a loopback port or
 * claim a private-use scheme, and pass for a client that was allowed something (OAuth 2.1 §7.3.1).
 */
export function isRecognised({ client, destination }: AuthorizationRequest): boolean {
  if (client.confidential) return true;
  const { protocol, hostname } = new URL(destination.uri);
  return /^https?:$/.test(protocol) && !isLoopback(hostname);
}

/** The claims that are asked for by name and that no allowed scope value shows anyway (OpenID Connect Core §5.5). */
export function claimsByName({ wishes, scope }: AuthorizationRequest, allowed: readonly string[] = scope): string[] {
  const { userinfo = [], id_token = [] } = wishes.claims ?? {};
  return [...new Set([...userinfo, ...id_token])].filter((name) => !allowed.includes(scopeOfClaim(name) ?? ""));
}

/** Remembers what a person has just allowed, beside what they allowed before, and gives back the consent's name. */
export async function rememberConsent(
  server: Server,
  asked: AuthorizationRequest,
  sub: string,
  scope: readonly string[],
): Promise<string> {
  const before = await findConsent(server, sub, asked.client.id);
  const at = server.now();
  const validUntil = at + server.lifetimes.refresh_token * 1000;
  const name = before?.name ?? drawName(server.random);
  const refused = asked.scope.filter((token) => !scope.includes(token));
  const allowedClaims = claimsByName(asked, []).filter((claim) => !refused.includes(scopeOfClaim(claim) ?? ""));
  await server.store.put("consent", await consentId(server, sub, asked.client.id), {
    name,
    scope: [...new Set([...before?.scope ?? [], ...scope])].filter((token) => !refused.includes(token)),
    claims: [...new Set([...before?.claims ?? [], ...allowedClaims])],
    resources: [...new Set([...before?.resources ?? [], ...asked.resources])],
    at,
    validUntil,
  }, { expiresAt: validUntil });
  return name;
}

/** Takes a consent back, and ends the refresh tokens that rest on it; false where there was none. */
export async function takeBack(server: Server, sub: string, clientId: string): Promise<boolean> {
  const consent = await findConsent(server, sub, clientId);
  if (consent === undefined) return false;
  const now = server.now();
  if (!await server.store.spend("consent", await consentId(server, sub, clientId), now)) return false;
  const lastsUntil = now + server.lifetimes.refresh_token * 1000;
  await endFamily(server, consent.name, "the user took the consent back", lastsUntil);
  return true;
}

function consentId(server: Server, sub: string, clientId: string): Soon<string> {
  return shelfId(server, JSON.stringify([sub, clientId]));
}
