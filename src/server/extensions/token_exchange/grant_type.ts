/** The token exchange grant type (RFC 8693): a token is exchanged for one with less access, or for an ID-JAG. */

import { levelOf, loginLevel } from "../../token/levels.ts";
import { isPairwise } from "../../token/subjects.ts";
import { type AuthorizationDetails, detailsName, requestsDetails } from "../../token/authorization_details.ts";
import { type Params, splitScope } from "../../../core/http/params.ts";
import { canonicalUri, isAbsoluteUri } from "../../../platform/http/absolute_uri.ts";
import type { TokenExchangePolicy, TokenExchangeSettings } from "./settings.ts";
import { secondsNow } from "../../../core/keys/jwt.ts";
import { millisecondsOf } from "../../../platform/jwt/jwt_policies.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { confirmationOf, type KeyConfirmation } from "../bound_tokens/mod.ts";
import { type AccessToken, grantOfAccessToken } from "../../../core/token/tokens/access_token.ts";
import { readAccessToken } from "../../../core/token/tokens/read_access_token.ts";
import { visibleClaims } from "../../../core/token/introspect.ts";
import { exchangeForIdJag } from "./exchange_for_id_jag.ts";
import { reject } from "./rules.ts";
import { tokenTypes } from "./token_types.ts";
import type { AuthenticatedRequest, Authorization } from "../../../core/token/grants/authenticated_request.ts";
import { exchangedTokenId } from "../../token/exchanged_token.ts";
import { withResources } from "../../token/resources.ts";

/** Scope values of a login, which an exchanged token never has. */
const loginScopes = ["openid", "offline_access"];

/** Maximum number of exchanges that lead to one token: each read of the token looks up every exchange. */
const maxExchanges = 8;

/** Exchanges the subject token of a request for the requested type of token. */
export async function exchangeToken(
  server: HostedServer,
  request: AuthenticatedRequest,
  policy: TokenExchangePolicy,
): Promise<Authorization> {
  const { params } = request;
  const supportedTypes = [
    ...policy.tokenExchange === undefined ? [] : [tokenTypes.accessToken],
    ...policy.resourceAuthorizationServers.length === 0 ? [] : [tokenTypes.idJag],
  ];
  const requestedType = params.get("requested_token_type") ?? tokenTypes.accessToken;
  if (!supportedTypes.some((type) => type === requestedType)) {
    throw reject("TX-02", { supported: supportedTypes, requested: requestedType });
  }
  requireParameter(params, "subject_token");
  requireParameter(params, "subject_token_type");
  const hasActor = params.get("actor_token") !== undefined;
  if (hasActor) requireParameter(params, "actor_token_type");
  else if (params.get("actor_token_type") !== undefined) requireParameter(params, "actor_token");
  if (requestedType !== tokenTypes.idJag) return await exchangeAccessToken(server, request, policy.tokenExchange!);
  return await exchangeForIdJag(server, request, policy.resourceAuthorizationServers);
}

function requireParameter(params: Params, name: string): void {
  if (params.get(name) !== undefined) return;
  throw reject("TX-01", { missing: name });
}

/**
 * Exchanges an access token of a user, or of the client itself, for an access token of the requesting client, with no
 * more access and no later expiry.
 */
async function exchangeAccessToken(
  server: HostedServer,
  request: AuthenticatedRequest,
  settings: TokenExchangeSettings,
): Promise<Authorization> {
  const { client, params } = request;
  if (!client.confidential && settings.allowPublicClients !== true) throw reject("TX-01", { publicClient: client.id });
  const subjectToken = await readToken(server, request, "subject_token");
  if (subjectToken.user === undefined && subjectToken.claims.client_id !== client.id) {
    throw reject("TX-01", { subject: "another client" });
  }
  server.passed("TX-01", subjectToken.claims.client_id);
  const actor = params.get("actor_token") === undefined ? undefined : await readToken(server, request, "actor_token");
  const actorClaims = { ...subjectToken.claims.act !== undefined && { act: subjectToken.claims.act } };
  if (actor !== undefined) Object.assign(actorClaims, { act: { sub: actor.claims.sub, ...actorClaims } });
  assertMayAct(server, request, subjectToken, actor);
  const { auth_time, client_id, exp, jti, sid } = subjectToken.claims;
  if (subjectToken.user === client.id && auth_time === undefined) {
    throw reject("TX-01", { subject: "a user with the id of this client" });
  }
  // A jti has one part more for each exchange that led to its token.
  const exchanges = jti.split(".").length - 2;
  if (exchanges >= maxExchanges) throw reject("TX-05", { exchanges, max: maxExchanges });
  const scope = narrowScope(request, subjectToken);
  const resources = await narrowTarget(server, request, subjectToken, settings);
  const { [detailsName]: items } = await visibleClaims(server, client, subjectToken.claims);
  const details = (items ?? []) as AuthorizationDetails;
  const issued = details.length > 0 || requestsDetails(server, params)
    ? (await server.details?.narrow(server, request, { details, scope }, resources))?.issued
    : undefined;
  server.passed("TX-03", scope.join(" "));
  // The session id in a token of a pairwise client is pairwise too.
  const holder = await server.clients.find(client_id);
  const knownSid = holder && isPairwise(holder) ? undefined : sid;
  const level = levelOf(subjectToken.claims);
  const authorization = withResources({
    client,
    scope,
    grantId: grantOfAccessToken(jti),
    ...subjectToken.user !== undefined && {
      subject: loginLevel.put({ sub: subjectToken.user, authTime: millisecondsOf(auth_time), sid: knownSid }, level),
    },
    refresh: {},
    // Whole seconds, although a JWT of another issuer may end at a fraction of one.
    maxLifetimeSeconds: Math.min(
      Math.max(1, Math.ceil(exp - secondsNow(server))),
      server.policy.lifetimes.access_token,
    ),
    addedClaims: { ...issued?.addedClaims, ...actorClaims },
    responseMembers: { ...issued?.responseMembers, issued_token_type: tokenTypes.accessToken },
  }, resources);
  return exchangedTokenId.put(authorization, jti);
}

/**
 * Reads a token of the request: the subject token is an access token that the client may inspect, the actor token one
 * of the client itself.
 */
async function readToken(
  server: HostedServer,
  request: AuthenticatedRequest,
  name: "subject_token" | "actor_token",
): Promise<AccessToken> {
  const { client, params } = request;
  const type = params.get(`${name}_type`)!;
  if (type !== tokenTypes.accessToken) throw reject("TX-01", { name, type });
  const token = await readAccessToken(server, params.get(name)!);
  const isAcceptable = token !== undefined &&
    (name === "actor_token"
      ? token.claims.client_id === client.id
      : await server.grants.mayInspect(server, client, token));
  if (!isAcceptable) throw reject("TX-01", { name, issuedTo: token?.claims.client_id });
  const { cnf } = token.claims;
  const proven = confirmationOf(request);
  if (cnf === undefined || isConfirmed(cnf, proven)) return token;
  throw reject("TX-04", { name, cnf, proven });
}

/**
 * Rejects an actor that `may_act` of the subject token does not name. Without an actor token, the client is the actor.
 */
function assertMayAct(
  server: HostedServer,
  { client }: AuthenticatedRequest,
  subject: AccessToken,
  actor: AccessToken | undefined,
) {
  const mayAct = subject.claims.may_act;
  if (mayAct === undefined) return;
  const actual: Readonly<Record<string, unknown>> = {
    iss: server.issuer,
    sub: actor?.claims.sub ?? client.id,
    client_id: client.id,
  };
  const isObject = typeof mayAct === "object" && mayAct !== null && Object.keys(mayAct).length > 0;
  const matches = isObject &&
    Object.entries(mayAct).every(([name, value]) => Object.hasOwn(actual, name) && actual[name] === value);
  if (matches) return;
  throw reject("TX-04", { mayAct, sub: actual.sub, clientId: client.id });
}

/** The requested part of the scope that the subject token and the client have in common; by default all of it. */
function narrowScope({ client, params }: AuthenticatedRequest, { claims }: AccessToken): readonly string[] {
  const grantable = client.scope.filter((value) => !loginScopes.includes(value));
  const allowed = splitScope(claims.scope ?? "").filter((value) => grantable.includes(value));
  const requested = params.get("scope");
  const scope = requested === undefined ? allowed : splitScope(requested);
  if (scope.length > 0 && scope.every((value) => allowed.includes(value))) return scope;
  throw reject("TX-03", { allowed, grantable, requested, granted: claims.scope });
}

/** The requested resources and audiences; by default the audience of the subject token. */
async function narrowTarget(
  server: HostedServer,
  { client, params }: AuthenticatedRequest,
  subjectToken: AccessToken,
  { targets = {} }: TokenExchangeSettings,
): Promise<readonly string[]> {
  const audience = await currentAudience(server, subjectToken, Object.values(targets).flat().filter(isName));
  const ofClient = Object.hasOwn(targets, client.id) ? targets[client.id]! : [];
  const allowed = [...audience, ...ofClient.filter(isName), ...await server.resources.registered(server, ofClient)];
  const requested = [...params.getAll("resource"), ...params.getAll("audience")];
  const found = new Set(requested.map((uri) => server.resources.find(uri) ?? canonicalUri(uri)));
  if ([...found].every((uri) => allowed.includes(uri))) {
    const resources = found.size > 0 ? [...found] : audience;
    return resources.length === 1 && resources[0] === server.audience ? [] : resources;
  }
  throw reject("TX-03", { targets: allowed, requested });
}

/** Whether a target is the logical name of a service (RFC 8693 §2.1). */
function isName(target: string): boolean {
  return !isAbsoluteUri(target);
}

/**
 * The audience of an access token, without the resources that this server no longer has.
 *
 * @param names The logical names of services.
 * @throws {OAuthError} If nothing of it is left.
 */
async function currentAudience(
  server: HostedServer,
  { audience }: AccessToken,
  names: readonly string[],
): Promise<readonly string[]> {
  const isResource = (uri: string) => uri !== server.audience && !names.includes(uri);
  const resources = audience.filter(isResource);
  if (resources.length === audience.length) return await server.resources.keep(server, resources);
  return [...audience.filter((uri) => !isResource(uri)), ...await server.resources.registered(server, resources)];
}

/** Whether the keys that a request proves are those that a token is bound to. */
function isConfirmed(cnf: object, proven: KeyConfirmation = {}): boolean {
  return Object.entries(cnf).every(([kind, thumbprint]) => proven[kind] === thumbprint);
}
