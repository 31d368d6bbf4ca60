/** Issues ID-JAGs by token exchange (draft-ietf-oauth-identity-assertion-authz-grant-03 §4.3). */

import { loginLevel } from "../../token/levels.ts";
import { subjectFor } from "../../token/subjects.ts";
import { type AuthorizationDetails, detailsName } from "../../token/authorization_details.ts";
import { confirmationOf } from "../bound_tokens/mod.ts";
import { warn } from "../../trace.ts";
import type { Subject } from "../../../core/store/store.ts";
import { type Params, scopeToken, splitScope } from "../../../core/http/params.ts";
import type { User } from "../../../core/clients/client.ts";
import { type Client, policyOf } from "../../../core/clients/clients.ts";
import { isPermitted } from "../../config/standing.ts";
import { canonicalUri, isAbsoluteUri } from "../../../platform/http/absolute_uri.ts";
import { asServerPolicy } from "../../config/server_policy.ts";
import type { ResourceAuthorizationServer } from "./settings.ts";
import { OAuthError } from "../../../core/rules/errors.ts";
import { randomId } from "../../../core/keys/secrets.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { claimsToSign } from "../../token/claim_change.ts";
import { findIdToken } from "./exchangeable_id_token.ts";
import { verifyOwnJwt } from "../../../core/keys/verification.ts";
import type { OwnJwtPolicy } from "../../../core/keys/verify_jwt.ts";
import { invalidGrantBy, registeredScope } from "../../../core/token/grants/narrow_grant.ts";
import { findRefreshToken } from "../../../core/token/grants/refresh_token.ts";
import type { FactsOf } from "../../../core/rules/reject.ts";
import { invalidSubjectToken, reject, type tokenExchangeRules } from "./rules.ts";
import { tokenTypes } from "./token_types.ts";
import type { AuthenticatedRequest, Authorization } from "../../../core/token/grants/authenticated_request.ts";
import { withResources } from "../../token/resources.ts";
import { tokenExchangeTexts } from "./explain.ts";

/** An ID token that is exchanged (ID-JAG §4.3). */
const idTokenPolicy: OwnJwtPolicy = { kind: "id_token", requiredClaims: ["exp", "iat", "sub"] };

/** The default lifetime of an ID-JAG, in seconds. */
const defaultLifetimeSeconds = 300;
/** Maximum number of resources of one ID-JAG, and of characters of each. */
const maxResources = 16;
const maxUriLength = 512;

export async function exchangeForIdJag(
  server: HostedServer,
  request: AuthenticatedRequest,
  resourceServers: readonly ResourceAuthorizationServer[],
): Promise<Authorization> {
  const { client, params } = request;
  if (params.get("actor_token") !== undefined) throw reject("IJ-11");
  const audience = findAudience(server, params, resourceServers);
  const clientIdAtAudience = assertClient(server, client, audience);
  const { user, subject, grantId } = await readSubject(server, request);
  server.passed("IJ-03", user.sub);
  const scope = limitScope(params, audience);
  const resources = limitResources(server, client, params, audience);
  const { authorizationDetailsTypes: types = [] } = audience;
  const rejectTypes = (requested: readonly string[]) => reject("IJ-05", { types, requested });
  const details = await readForeignDetails(server, params, types, rejectTypes);
  server.passed("IJ-05", [...scope, ...resources].join(" "));
  const sub = await subjectForAudience(server, audience, user);
  const cnf = confirmationOf(request);
  const lifetime = audience.lifetime ?? defaultLifetimeSeconds;
  const authorization: Authorization = withResources({ client, scope, grantId, subject, refresh: {} }, resources);
  return {
    ...authorization,
    async issue(now) {
      const claims = {
        ...pickClaims(user, audience.claims ?? []),
        ...audience.tenant !== undefined && { aud_tenant: audience.tenant },
        ...audience.subjects !== undefined && Object.hasOwn(audience.subjects, user.sub) && {
          aud_sub: audience.subjects[user.sub],
        },
        iss: server.issuer,
        sub,
        aud: audience.issuer,
        client_id: clientIdAtAudience,
        jti: randomId(server.randomBytes),
        iat: now,
        exp: now + lifetime,
        auth_time: subject.authTime && Math.floor(subject.authTime / 1000),
        ...loginLevel.of(subject),
        ...scope.length > 0 && { scope: scope.join(" ") },
        ...details,
        ...cnf !== undefined && { cnf },
        ...resources.length > 0 && { resource: resources.length === 1 ? resources[0] : resources },
      };
      const issued = await claimsToSign(server, "id_jag", claims, authorization);
      return {
        access_token: await server.keys.sign("id_jag", policyOf(server, client).alg, issued),
        issued_token_type: tokenTypes.idJag,
        token_type: "N_A",
        expires_in: lifetime,
        ...scope.length > 0 && { scope: scope.join(" ") },
        ...details,
      };
    },
  };
}

function findAudience(
  server: HostedServer,
  params: Params,
  resourceServers: readonly ResourceAuthorizationServer[],
): ResourceAuthorizationServer {
  const [audience, ...others] = params.getAll("audience");
  if (audience === undefined) throw reject("IJ-01", { missing: "audience" });
  if (others.length > 0) throw reject("IJ-01", { isRepeated: true });
  const exact = resourceServers.find(({ issuer }) => issuer === audience);
  if (exact !== undefined) return exact;
  // Clients append a slash to an issuer without a path. `assertionAudience: "issuer"` rejects that.
  const isLenient = server.assertionAudiences.length > 0;
  const found = isLenient ? resourceServers.find(({ issuer }) => audience === `${new URL(issuer).origin}/`) : undefined;
  if (found !== undefined && found.issuer === new URL(found.issuer).origin) {
    const reason = "audience has a slash after the issuer, which many servers reject";
    const { fix } = tokenExchangeTexts["IJ-01"];
    warn(server, undefined, { rule: "IJ-01", reason, expected: found.issuer, received: audience, fix });
    return found;
  }
  throw reject("IJ-01", { audience });
}

/** The id of the client at the audience. */
function assertClient(
  server: HostedServer,
  client: Client,
  { clients, allowPublicClients, issuer }: ResourceAuthorizationServer,
): string {
  if (!client.confidential && allowPublicClients !== true) throw reject("IJ-09", { client: client.id });
  if (clients === undefined && isPermitted(server, client, "useUnrestrictedIssuers")) return client.id;
  if (clients !== undefined && Object.hasOwn(clients, client.id)) return clients[client.id]!;
  const standing = clients === undefined ? client.standing : undefined;
  throw reject("IJ-08", { client: client.id, issuer, standing });
}

/** The user that a subject token is about, and the grant that it belongs to. */
interface SubjectOfToken {
  readonly user: User;
  readonly subject: Subject;
  readonly grantId: string;
}

async function readSubject(server: HostedServer, request: AuthenticatedRequest): Promise<SubjectOfToken> {
  const { client, params } = request;
  const token = params.get("subject_token")!;
  const type = params.get("subject_token_type")!;
  if (type === tokenTypes.idToken) return await readIdToken(server, client, token);
  if (type === tokenTypes.refreshToken) return await readRefreshToken(server, request, token);
  throw reject("IJ-02", { supported: [tokenTypes.idToken, tokenTypes.refreshToken], sent: type });
}

async function readIdToken(server: HostedServer, client: Client, token: string): Promise<SubjectOfToken> {
  const expected = { issuer: server.issuer, audience: client.id };
  const claims = await verifyOwnJwt(server, token, idTokenPolicy, expected);
  const stored = claims && await findIdToken(server, token);
  if (stored === undefined) throw reject("IJ-03", { idTokenOf: client.id });
  const { grant: { subject, scope } } = stored.value;
  // Unlike a refresh token, an ID token never outlives its session.
  const sessionScope = registeredScope(client, scope).filter((value) => value !== "offline_access");
  const invalidReason = await server.grants.findInvalidReason(server, client, stored, sessionScope);
  const user = invalidReason === undefined ? await server.users.find(subject.sub) : undefined;
  if (user !== undefined) return { user, subject, grantId: stored.grantId! };
  throw reject("IJ-03", { broken: invalidReason && invalidIdToken(invalidReason) });
}

/** Reads a refresh token without consuming or rotating it. */
async function readRefreshToken(
  server: HostedServer,
  request: AuthenticatedRequest,
  token: string,
): Promise<SubjectOfToken> {
  try {
    const { stored: { value, consumedAt, grantId } } = await findRefreshToken(server, request, token);
    const { subject } = value.grant;
    const user = await server.users.find(subject.sub);
    if (consumedAt === undefined && user !== undefined) return { user, subject, grantId: grantId! };
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    throw invalidRefreshToken({ broken: error });
  }
  throw invalidRefreshToken({ isUsed: true });
}

const invalidIdToken = invalidGrantBy("IJ-03", "the ID token is invalid");

/** All rejections of a subject token look the same to the client; the trace contains the reason. */
function invalidRefreshToken(facts: FactsOf<typeof tokenExchangeRules["IJ-04"]>): OAuthError {
  return new OAuthError("invalid_request", invalidSubjectToken, {
    rule: "IJ-03",
    internalRule: "IJ-04",
    facts: () => facts,
  });
}

/** The requested scope values that the audience's entry allows. */
function limitScope(params: Params, { scopes }: ResourceAuthorizationServer): readonly string[] {
  const requested = splitScope(params.get("scope") ?? "");
  const granted = requested.filter((value) => scopes?.includes(value) ?? scopeToken.test(value));
  if (granted.length > 0 || requested.length === 0) return granted;
  throw reject("IJ-05", { scopes, requested });
}

/** The requested resources that the audience's entry allows. */
function limitResources(
  server: HostedServer,
  client: Client,
  params: Params,
  { resources }: ResourceAuthorizationServer,
): readonly string[] {
  const requested = params.getAll("resource");
  if (requested.length === 0 && asServerPolicy(policyOf(server, client)).resourceParameter === "optional") return [];
  if (requested.length === 0) throw reject("IJ-01", { missing: "resource" });
  const allowed = resources?.map(canonicalUri);
  const granted = requested.length > maxResources
    ? []
    : requested.filter((uri) =>
      uri.length <= maxUriLength && isAbsoluteUri(uri) && (allowed?.includes(canonicalUri(uri)) ?? true)
    );
  if (granted.length > 0) return [...new Set(granted)];
  throw reject("IJ-05", { resources, requested, max: maxResources });
}

/**
 * The subject of a user for the audience. If the audience is also a client of this server, it is the `sub` of that
 * client's ID tokens.
 */
async function subjectForAudience(
  server: HostedServer,
  { client: id, issuer }: ResourceAuthorizationServer,
  { sub }: User,
): Promise<string> {
  if (id === undefined) return sub;
  const client = await server.clients.find(id);
  if (client !== undefined) return await subjectFor(server, client, sub);
  throw reject("IJ-08", { removedClient: id, issuer });
}

function pickClaims(user: User, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => Object.hasOwn(user, name) ? [[name, user[name]]] : []));
}

/**
 * Reads the authorization details that a client requests at another authorization server, as claims by name.
 *
 * @param types The types of objects that the other server supports.
 * @throws {OAuthError} If it is invalid, and the error of `reject` if it has no object of these types.
 */
async function readForeignDetails(
  server: HostedServer,
  params: Params,
  types: readonly string[],
  reject: (types: readonly string[]) => Error,
): Promise<Readonly<Record<string, AuthorizationDetails>>> {
  const { details } = server;
  if (details === undefined || params.get(detailsName) === undefined) return {};
  const items = await details.readForeign(params, types, reject);
  return items.length > 0 ? { [detailsName]: items } : {};
}
