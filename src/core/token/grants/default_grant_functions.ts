/** The functions about grants of a server that grants nothing besides scope. */

import { type Client, policyOf } from "../../clients/clients.ts";
import type { Approval } from "../../authorize/approval.ts";
import { claimsForScope } from "../../clients/claims.ts";
import { issueResponse } from "../../authorize/code.ts";
import { createGrant } from "../../store/grant.ts";
import type { AuthorizationRequest } from "../../authorize/authorization_request.ts";
import { splitScope } from "../../http/params.ts";
import { reject } from "../../rules/reject.ts";
import type { AccessTokenProblem } from "../../rules/openid.ts";
import type { Server } from "../../server.ts";
import type { GrantRecord, StoredRecord } from "../../store/store.ts";
import { type AccessToken, newTokenId } from "../tokens/access_token.ts";
import { readJwt } from "../tokens/read_access_token.ts";
import { storeRefreshToken } from "../tokens/issue_refresh_token.ts";
import type { AuthenticatedRequest } from "./authenticated_request.ts";
import { checkCode } from "./authorization_code.ts";
import type { Granted, GrantFunctions } from "./grant_functions.ts";
import { findInvalidReason } from "./narrow_grant.ts";
import { checkRefreshToken, describeRefreshToken, rotates } from "./refresh_token.ts";

export const grantFunctions: GrantFunctions<Server> = {
  create: createGrant,
  async findRemoved({ users }, _client, { subject: { sub } }) {
    return await users.find(sub) === undefined ? { rule: "CI-11", lost: "user", id: sub } : undefined;
  },
  findInvalidReason,
  loginFingerprint: () => "",
  tokenId: newTokenId,
  formatToken: (server, { client }, claims) => server.keys.sign("access_token", policyOf(server, client).alg, claims),
  formatIdToken: ({ keys }, { client }, claims) => keys.sign("id_token", client.idTokenAlg, claims),
  readToken: readJwt,
  userinfoClaims: ({ claims }, _token, _client, user, scope) => claimsForScope(claims, user, scope),
  refreshTokenClaims: describeRefreshToken,
  storeRefreshToken,
  checkCode,
  checkRefreshToken,
  rotates,
  findTokenProblem,
  issueResponse,
  mayInspect,
  isEmpty: ({ scope }) => scope.length === 0,
  refreshScope,
};

/** The requested part of the granted scope, for this access token only (§4.3.1). */
function refreshScope(
  _server: Server,
  { params }: AuthenticatedRequest,
  _stored: StoredRecord<GrantRecord>,
  granted: readonly string[],
): readonly string[] {
  const requested = params.get("scope");
  if (requested === undefined) return granted;
  const tokens = splitScope(requested);
  if (tokens.length > 0 && tokens.every((token) => granted.includes(token))) return tokens;
  throw reject("RT-06", { requested, granted });
}

async function findTokenProblem(
  { clients, users }: Server,
  { claims: { client_id }, user }: AccessToken,
): Promise<AccessTokenProblem | undefined> {
  if (await clients.findHolder(client_id) === undefined) return "the client was removed";
  return user !== undefined && await users.find(user) === undefined ? "the user was removed" : undefined;
}

/** Whether a token is one of the client, or for the server. */
function mayInspect(server: Server, client: Client, { audience, claims }: AccessToken): boolean {
  return claims.client_id === client.id || audience.includes(server.audience);
}

/** The approved part of the requested scope, with the values of extensions in the request. */
export function grantApproved(
  _server: Server,
  _granted: Granted,
  _client: Client,
  { scope, extensions }: AuthorizationRequest,
  { scope: approved, consent }: Approval,
): Granted {
  return { scope: scope.filter((token) => approved.includes(token)), consent, extensions };
}
