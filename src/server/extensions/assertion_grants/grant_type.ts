/** The JWT bearer grant type (RFC 7523 §2.1): an assertion of a trusted issuer is exchanged for an access token. */

import { type Client, policyOf } from "../../../core/clients/clients.ts";
import { isPermitted } from "../../config/standing.ts";
import type { User } from "../../../core/clients/client.ts";
import type { TrustedIssuer } from "./settings.ts";
import { OAuthError } from "../../../core/rules/errors.ts";
import { asServerPolicy, byProfile } from "../../config/server_policy.ts";
import { type Params, splitScope } from "../../../core/http/params.ts";
import {
  type AuthorizationDetails,
  detailsName,
  type GrantedDetails,
  requestsDetails,
} from "../../token/authorization_details.ts";
import { userScopes, withoutUserScopes } from "../../../core/token/grants/client_credentials.ts";
import { resolveScope } from "../../../core/authorize/scope.ts";
import { millisecondsOf } from "../../../platform/jwt/jwt_policies.ts";
import { randomId, storageKey } from "../../../core/keys/secrets.ts";
import type { GrantType } from "../../../core/server.ts";
import { proofKey } from "../bound_tokens/mod.ts";
import { findSubject, mappedSubject } from "./assertion_subject.ts";
import type { AuthenticatedRequest, Authorization } from "../../../core/token/grants/authenticated_request.ts";
import { invalidAssertion, type VerifiedAssertion, verifyGrantAssertion } from "./verify_assertion.ts";
import { reject } from "./rules.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { withResources } from "../../token/resources.ts";

export function jwtBearer(
  trustedIssuers: readonly TrustedIssuer[],
): Pick<GrantType, "authorize" | "identifyClient"> {
  return {
    authorize: (server: HostedServer, request) => authorizeAssertion(server, request, trustedIssuers),
    identifyClient: (server: HostedServer, params) => identifyClient(server, params, trustedIssuers),
  };
}

/** Authorizes the client by an assertion. */
async function authorizeAssertion(
  server: HostedServer,
  request: AuthenticatedRequest,
  trustedIssuers: readonly TrustedIssuer[],
): Promise<Authorization> {
  const { client, params } = request;
  const verified = await verifyGrantAssertion(server, requireAssertion(params), trustedIssuers);
  const { trusted, claims } = verified;
  if (claims.cnf !== undefined) assertProvenKey(claims.cnf, proofKey.of(request));
  assertClient(server, client, verified);
  server.passed("JB-08", client.id);
  const user = await findSubject(server, client, verified);
  server.passed("JB-09", user?.sub ?? client.id);
  const details = await grantedDetails(server, request, verified);
  const scope = grantedScope(server, client, params, verified, user, details !== undefined);
  const resources = await grantedResources(server, client, params, verified);
  const issued = details && await issueDetails(server, request, verified, { details, scope }, resources);
  server.passed("JB-11", scope.join(" "));
  return withResources({
    client,
    scope,
    grantId: randomId(server.randomBytes),
    ...user && { subject: { sub: user.sub, authTime: millisecondsOf(claims.auth_time) } },
    refresh: {},
    ...trusted.singleUse === true && { consume: () => consume(server, verified) },
    ...issued,
    ...params.get("scope") !== undefined && scope.length === 0 && {
      responseMembers: { ...issued?.responseMembers, scope: "" },
    },
    ...trusted.grantProfile === "id-jag" && resources.length > 0 && {
      responseMembers: { ...issued?.responseMembers, resource: resources.length === 1 ? resources[0] : resources },
    },
  }, resources);
}

/** Requires the key that an assertion is bound to (ID-JAG §8.6.1). */
function assertProvenKey(cnf: unknown, provenKey: string | undefined): void {
  const { jkt } = Object(cnf) as { readonly jkt?: unknown };
  if (jkt !== undefined && jkt === provenKey) return;
  throw invalidAssertion("IJ-19", { jkt, provenKey });
}

/**
 * The client of a request that names no client: the client of the subject, or of the ID-JAG.
 *
 * @returns `undefined` if the issuer's entry allows no such request.
 * @throws {OAuthError} `invalid_grant` for every invalid assertion, so that nothing reveals which issuers are trusted.
 */
async function identifyClient(
  server: HostedServer,
  params: Params,
  trustedIssuers: readonly TrustedIssuer[],
): Promise<string | undefined> {
  const { trusted, claims } = await verifyGrantAssertion(server, requireAssertion(params), trustedIssuers);
  if (trusted.allowPublicClients !== true) return undefined;
  return trusted.grantProfile === "id-jag" ? claims.client_id as string : mappedSubject(trusted, claims.sub)?.client;
}

function requireAssertion(params: Params): string {
  const assertion = params.get("assertion");
  if (assertion !== undefined) return assertion;
  throw reject("JB-01", { problem: "missing" });
}

function assertClient(server: HostedServer, client: Client, { trusted, claims }: VerifiedAssertion): void {
  if (!client.confidential && trusted.allowPublicClients !== true) {
    throw reject("JB-08", { problem: "public", clientId: client.id });
  }
  const { clients } = trusted;
  if (!(clients?.includes(client.id) ?? isPermitted(server, client, "useUnrestrictedIssuers"))) {
    throw reject("JB-08", { problem: "not listed", clientId: client.id, standing: client.standing, clients });
  }
  if (trusted.grantProfile !== "id-jag" || claims.client_id === client.id) return;
  throw invalidAssertion("IJ-15", { issuedTo: claims.client_id, clientId: client.id });
}

/** Scope values of a login. An assertion never grants them, because it leads to no ID token and no refresh token. */
const loginScopes = ["openid", "offline_access"];

/**
 * The authorization details that an ID-JAG grants, or that the client may have on its own behalf; `undefined` for none.
 */
async function grantedDetails(
  server: HostedServer,
  request: AuthenticatedRequest,
  { trusted, claims }: VerifiedAssertion,
): Promise<AuthorizationDetails | undefined> {
  const isRequested = requestsDetails(server, request.params);
  if (trusted.grantProfile !== "id-jag") {
    return isRequested ? await server.details?.readOwn(server, request) : undefined;
  }
  try {
    const { [detailsName]: claim } = claims;
    const claimed = claim === undefined ? [] : await server.details?.readClaim(server, request.client, claim) ?? [];
    return claimed.length > 0 || isRequested ? claimed : undefined;
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    throw invalidAssertion("IJ-17", { invalidDetails: error });
  }
}

/** Issues the requested part of the details that an ID-JAG grants, or those that the client requested for itself. */
async function issueDetails(
  server: HostedServer,
  request: AuthenticatedRequest,
  { trusted }: VerifiedAssertion,
  granted: GrantedDetails,
  resources: readonly string[],
): Promise<Pick<Authorization, "addedClaims" | "responseMembers">> {
  if (trusted.grantProfile !== "id-jag") return await server.details?.issue(granted.details, resources) ?? {};
  return (await server.details?.narrow(server, request, granted, resources))?.issued ?? {};
}

/** The requested scope. Default: the scope of the ID-JAG, or the default scope. */
function grantedScope(
  server: HostedServer,
  client: Client,
  params: Params,
  { trusted, claims }: VerifiedAssertion,
  user: User | undefined,
  hasDetails: boolean,
): readonly string[] {
  const excluded = user === undefined ? userScopes : loginScopes;
  const claimed = trusted.grantProfile === "id-jag" && claims.scope !== undefined
    ? splitScope(claims.scope as string)
    : undefined;
  const allowed = client.scope.filter((value) =>
    !excluded.includes(value) && (trusted.scopes?.includes(value) ?? true) && (claimed?.includes(value) ?? true)
  );
  const sent = params.get("scope");
  const requested = sent === undefined ? undefined : withoutUserScopes(server, client, sent, excluded);
  // Only values that a login grants were requested, and ignored.
  if (requested === "") return [];
  const scope = requested !== undefined
    ? resolveScope(server.policy, client, requested, server.passed)
    : claimed !== undefined
    ? allowed
    : hasDetails
    ? []
    : server.policy.defaultScope.filter((value) => allowed.includes(value));
  // A client on its own behalf needs no scope: the default may be one of users.
  const needsNone = requested === undefined && (hasDetails || user === undefined && claimed === undefined);
  if ((scope.length > 0 || needsNone) && scope.every((value) => allowed.includes(value))) return scope;
  throw reject("JB-11", { allowed, requested, claimed });
}

/** The requested resources. Default: all resources that the ID-JAG or the issuer's entry names. */
async function grantedResources(
  server: HostedServer,
  client: Client,
  params: Params,
  { trusted, claims }: VerifiedAssertion,
): Promise<readonly string[]> {
  const claimed = trusted.grantProfile === "id-jag" && claims.resource !== undefined
    ? [claims.resource as string | string[]].flat()
    : undefined;
  const policy = asServerPolicy(policyOf(server, client));
  if (claimed === undefined && trusted.grantProfile === "id-jag" && policy.resourceParameter !== "optional") {
    throw invalidAssertion("IJ-17", { byProfile: byProfile(policy, "resourceParameter") });
  }
  if (claimed === undefined && trusted.resources === undefined) return await server.resources.read(server, params);
  const allowed = await server.resources.registered(server, trusted.resources ?? claimed!);
  const granted = claimed === undefined || trusted.resources === undefined
    ? allowed
    : (await server.resources.registered(server, claimed)).filter((uri) => allowed.includes(uri));
  // The ID-JAG names the resource, so the request need not.
  if (granted.length > 0 && claimed !== undefined && params.get("resource") === undefined) return granted;
  if (granted.length > 0) return await server.resources.narrow(server, granted, params);
  throw reject("IJ-17", { allowed, claimed });
}

/** Consumes an assertion: one of several concurrent requests succeeds. */
async function consume(server: HostedServer, { claims: { iss, jti, exp } }: VerifiedAssertion): Promise<boolean> {
  if (typeof jti !== "string" || jti === "") throw invalidAssertion("JB-10", { problem: "no jti" });
  const id = await storageKey(server, JSON.stringify(["grant assertion", iss, jti]));
  if (await server.store.add("used_identifier", id, {}, { expiresAt: Math.ceil(exp * 1000) })) return true;
  throw invalidAssertion("JB-10", { problem: "used" });
}
