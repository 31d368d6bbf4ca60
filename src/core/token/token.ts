/** POST /oauth2/token (OAuth 2.1 §3.2): authenticate the client, validate the grant, issue the tokens. */

import { ProgramError } from "../rules/program_error.ts";
import { clientEndpoint } from "./client_endpoint.ts";
import type { Handlers } from "../route.ts";
import { type HttpResponse, json } from "../http/message.ts";
import { describeKind, quoteValue } from "../http/quote_value.ts";
import type { AuthenticatedRequest, Authorization } from "./grants/authenticated_request.ts";
import type { Params } from "../http/params.ts";
import { OAuthError } from "../rules/errors.ts";
import { reject } from "../rules/reject.ts";
import { checkTokenRequest } from "../authorize/checks.ts";
import type { GrantType, Server } from "../server.ts";
import { grantOf } from "../store/grant.ts";
import { invalidGrantBy } from "./grants/narrow_grant.ts";
import { issueTokens } from "./tokens/mod.ts";

/** The handler. `server.responses.token` is {@link tokenResponse} unless an extension replaces it. */
export const token: Handlers = clientEndpoint(
  (server, request) => server.responses.token(server, request),
  { identifyClient },
);

export async function tokenResponse(server: Server, request: AuthenticatedRequest): Promise<HttpResponse> {
  const grantType = findGrantType(server, request);
  const { client, params } = request;
  await checkTokenRequest({ server, client, params });
  const authorization = await grantType.authorize(server, request);
  // A token for another server may have scope values that are not registered here.
  if (!grantType.checksScope && authorization.issue === undefined) assertRegistered(authorization, grantType);
  await requireUser(server, authorization, grantType);
  await consumeGrant(authorization, grantType);
  return json(200, await issueTokens(server, request, authorization));
}

/**
 * Consumes what can be used once. Atomic: one of several concurrent requests succeeds. If a later step fails, the grant
 * stays consumed: the user must log in again, but nothing is exchanged twice (replay).
 */
async function consumeGrant(authorization: Authorization, { type }: GrantType): Promise<void> {
  if (authorization.consume === undefined) return;
  const isFirst: unknown = await authorization.consume();
  if (isFirst === true) return;
  if (isFirst === false) {
    throw new OAuthError("invalid_grant", "the grant was used before", { fix: "Get a new grant: each works once." });
  }
  throw new ProgramError(
    `expected consume of the grant type ${type} to return true, or false if the grant was used before, received ` +
      describeKind(isFirst),
  );
}

/** @throws {ProgramError} If `authorize` of a grant type returned a scope value that the client may not have. */
function assertRegistered({ client, scope }: Authorization, { type }: GrantType): void {
  const other = scope.find((value) => !client.allowsScope(value));
  if (other === undefined) return;
  throw new ProgramError(
    `expected authorize of the grant type ${type} to return scope values for which the client ${client.id} is ` +
      `registered, received ${quoteValue(other)}. Reject the request with invalid_scope, leave the value out, or ` +
      "declare checksScope if the grant type decides itself what the client may have.",
  );
}

/**
 * Requires that the user of a result may still log in.
 *
 * @throws {OAuthError} If the user of a stored grant was removed.
 * @throws {ProgramError} If a grant type that stores no grant returned another user.
 */
async function requireUser(server: Server, authorization: Authorization, { type }: GrantType): Promise<void> {
  const { client, subject, grant } = authorization;
  if (subject === undefined) return;
  const stored = grant ?? await grantOf(server, authorization, subject);
  const removed = await server.grants.findRemoved(server, client, stored);
  if (removed === undefined) return;
  if (grant !== undefined) throw invalidGrantBy("CI-11", "the grant is no longer valid")(removed);
  throw new ProgramError(
    `expected authorize of the grant type ${type} to return a user who may log in, received the sub ` +
      `${quoteValue(subject.sub)}. Reject the request with invalid_grant if users.find finds nobody.`,
  );
}

/**
 * The id of the client of a request that names no client, if its grant identifies one.
 *
 * @throws {OAuthError} If the server does not support the grant type: a client_id would not help.
 */
async function identifyClient(server: Server, params: Params): Promise<string | undefined> {
  if (params.get("grant_type") === undefined) return undefined;
  return await supportedGrantType(server, params).identifyClient?.(server, params);
}

/**
 * The grant type of a token request.
 *
 * @throws {OAuthError} If the server does not support it, or the client is not registered for it (OAuth 2.1 §3.2.4).
 */
function findGrantType(server: Server, { client, params }: AuthenticatedRequest): GrantType {
  const grantType = supportedGrantType(server, params);
  const { type } = grantType;
  if (!client.grantTypes.includes(type)) throw reject("TK-06", { client, grantType });
  server.passed("TK-06", type);
  return grantType;
}

function supportedGrantType({ grantTypes }: Server, params: Params): GrantType {
  const sent = params.get("grant_type");
  const grantType = grantTypes.find(({ type }) => type === sent);
  if (grantType === undefined) throw reject("TK-05", { grantTypes: grantTypes.map(({ type }) => type), sent });
  return grantType;
}
