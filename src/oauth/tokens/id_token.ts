/** ID tokens (OpenID Connect Core §2): issued if `openid` was granted. `id_token_hint.ts` reads them back. */

import { assertClaimsSize, claimsForScope, withRequestedClaims } from "../claims.ts";
import type { Authorization } from "../grants/token_request.ts";
import { tokenHash } from "../keys/jwt.ts";
import { isPromise } from "../maybe_promise.ts";
import { noteMinimalIdToken } from "../notes.ts";
import type { Server, TokenIssuer } from "../server.ts";
import { identifiersFor } from "../users/subject.ts";
import { overriddenClaims } from "./claims_context.ts";

/** The claims that ID tokens of this server may contain, besides claims about the user. */
export const idTokenClaims = ["iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "sid"] as const;

/**
 * Issues the ID token. It contains claims about the user only if they were requested by name for it, or if the server
 * is configured to include them; otherwise userinfo returns them (§5.4).
 */
export const idToken: TokenIssuer = async (server, authorization, now, issued) => {
  const { client, subject, nonce, scope } = authorization;
  if (subject === undefined || authorization.issue !== undefined || !scope.includes("openid")) return {};
  const { sub, authTime, acr, amr } = subject;
  const identifying = identifiersFor(server, client, subject);
  const identifiers = isPromise(identifying) ? await identifying : identifying;
  const hashing = tokenHash(client.idTokenAlg, issued.access_token!);
  const claims = {
    iss: server.issuer,
    sub: identifiers.sub,
    aud: client.id,
    exp: now + server.settings.lifetimes.id_token,
    iat: now,
    auth_time: authTime && Math.floor(authTime / 1000),
    acr,
    amr,
    nonce,
    at_hash: isPromise(hashing) ? await hashing : hashing,
    sid: identifiers.sid,
  };
  if (hasUserClaims(server, authorization)) Object.assign(claims, await userClaims(server, sub, authorization));
  else noteMinimalIdToken(server, authorization);
  const issuedClaims = server.overrideClaims === undefined
    ? claims
    : await overriddenClaims(server, "id_token", claims, authorization);
  const signing = server.sign("id_token", client.idTokenAlg, issuedClaims);
  return { id_token: isPromise(signing) ? await signing : signing };
};

function hasUserClaims({ claims: rules }: Server, { claims: requested }: Authorization): boolean {
  return requested !== undefined || rules.idToken !== "minimal";
}

/** The claims about the user; `undefined` if the user was removed. */
async function userClaims(
  { claims: rules, users }: Server,
  sub: string,
  { claims: requested, scope }: Authorization,
): Promise<Record<string, unknown> | undefined> {
  const user = await users.find(sub);
  if (user === undefined) return undefined;
  const scopeClaims = rules.idToken === "minimal" ? {} : claimsForScope(rules, user, scope);
  const claims = requested === undefined
    ? scopeClaims
    : withRequestedClaims(user, scopeClaims, requested.id_token, requested.values?.id_token);
  assertClaimsSize(claims);
  return claims;
}
