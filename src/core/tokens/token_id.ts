/**
 * The `jti` of access tokens: the id of the grant, and a random value for each token that was exchanged for the next
 * one, so that a revocation of one of them needs no list of tokens.
 */

import type { Authorization } from "../grants/authenticated_request.ts";
import { randomId } from "../secrets.ts";
import type { Server } from "../server.ts";

export function newTokenId({ randomBytes }: Server, { grantId, subjectTokenId = grantId }: Authorization): string {
  return `${subjectTokenId}.${randomId(randomBytes)}`;
}

export function grantOfAccessToken(jti: string): string {
  return jti.split(".", 1)[0]!;
}

/** The ids whose revocation ends an access token: its grant, each token that was exchanged for it, and itself. */
export function revocableIds(jti: string): readonly string[] {
  const parts = jti.split(".");
  return parts.map((_, i) => parts.slice(0, i + 1).join("."));
}
