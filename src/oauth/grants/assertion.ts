/** Authorizes the assertions of the JWT bearer grant type: client, subject, scope and resources (RFC 7521 §4.1). */

import { standardClaims } from "../claims.ts";
import { policyOf } from "../clients/policy.ts";
import type { Client } from "../clients/repository.ts";
import { isPermitted } from "../clients/standing.ts";
import type { User } from "../clients/client.ts";
import { quote } from "../config/config_issue.ts";
import { byProfile } from "../config/profile.ts";
import type { TrustedIssuer } from "../config/trusted_issuers.ts";
import { OAuthError } from "../errors.ts";
import type { Params } from "../params.ts";
import { hasDetails, loadDetails } from "../authorize/details_parameter.ts";
import { narrowResources, readResources, registeredResources } from "../authorize/resources.ts";
import { resolveScope } from "../authorize/scope.ts";
import { splitScope } from "../authorize/scope_token.ts";
import { millisecondsOf } from "../keys/jwt.ts";
import { randomId, storageKey } from "../secrets.ts";
import type { Server } from "../server.ts";
import { hasTestHost } from "../test_hosts.ts";
import type { Authorization, TokenRequest } from "./token_request.ts";
import { invalidAssertion, verifyAssertion } from "./verify_assertion.ts";
import type { VerifiedAssertion } from "./verify_assertion.ts";

/** Number of users whose e-mail addresses are compared, besides those in memory. */
const maxEmailCandidates = 1000;

/** Authorizes an assertion. It is consumed last, so a failed attempt leaves it usable. */
export async function authorizeAssertion(
  server: Server,
  { client, parameters, provenKey }: TokenRequest,
  trustedIssuers: readonly TrustedIssuer[],
): Promise<Authorization> {
  const verified = await verifyAssertion(server, requireAssertion(parameters), trustedIssuers);
  const { trusted, claims } = verified;
  if (claims.cnf !== undefined) assertProvenKey(claims.cnf, provenKey);
  assertClient(server, client, verified);
  server.passed?.("JB-08", client.id);
  const user = await findSubject(server, client, verified);
  server.passed?.("JB-09", user?.sub ?? client.id);
  const details = await grantedDetails(server, client, parameters, verified);
  const scope = grantedScope(server, client, parameters, verified, user, details !== undefined);
  const resources = await grantedResources(server, client, parameters, verified);
  const members = details?.(scope, resources);
  server.passed?.("JB-11", scope.join(" "));
  if (trusted.singleUse === true) await consume(server, verified);
  return {
    client,
    scope,
    resources,
    grantId: randomId(server.randomBytes),
    ...user && { subject: { sub: user.sub, authTime: millisecondsOf(claims.auth_time) } },
    refresh: {},
    ...members,
    ...trusted.grantProfile === "id-jag" && resources.length > 0 && {
      responseMembers: { ...members?.responseMembers, resource: resources.length === 1 ? resources[0] : resources },
    },
  };
}

/** Requires the key that an assertion is bound to (ID-JAG §8.6.1). */
function assertProvenKey(cnf: unknown, provenKey: string | undefined): void {
  const { jkt } = Object(cnf) as { readonly jkt?: unknown };
  if (jkt !== undefined && jkt === provenKey) return;
  throw invalidAssertion({
    rule: "IJ-19",
    reason: "the assertion is bound to a key (cnf) that the request does not prove",
    expected: typeof jkt === "string" ? `a DPoP proof signed by the key ${jkt}` : "cnf with the member jkt",
    received: provenKey === undefined ? "no header DPoP" : `a proof by the key ${provenKey}`,
  });
}

/**
 * The client of a request that names none: that of the subject, or of the ID-JAG.
 *
 * @returns `undefined` if the issuer's entry allows no such request.
 * @throws {OAuthError} `invalid_grant` for every invalid assertion, so that nothing reveals which issuers are trusted.
 */
export async function identifyClient(
  server: Server,
  parameters: Params,
  trustedIssuers: readonly TrustedIssuer[],
): Promise<string | undefined> {
  const { trusted, claims } = await verifyAssertion(server, requireAssertion(parameters), trustedIssuers);
  if (trusted.allowPublicClients !== true) return undefined;
  return trusted.grantProfile === "id-jag" ? claims.client_id as string : mappedSubject(trusted, claims.sub)?.client;
}

function requireAssertion(parameters: Params): string {
  const assertion = parameters.get("assertion");
  if (assertion !== undefined) return assertion;
  throw new OAuthError("invalid_request", "assertion is missing", {
    rule: "JB-01",
    expected: "assertion, a JWT of a trusted issuer",
    received: "no assertion",
  });
}

function assertClient(server: Server, client: Client, { trusted, claims }: VerifiedAssertion): void {
  if (!client.confidential && trusted.allowPublicClients !== true) {
    throw new OAuthError("unauthorized_client", "only a confidential client may use this assertion", {
      rule: "JB-08",
      expected: "a client that authenticates, or allowPublicClients in the entry of the issuer",
      received: `the public client ${client.id}`,
    });
  }
  const isAllowed = trusted.clients?.includes(client.id) ?? isPermitted(server, client, "useUnrestrictedIssuers");
  if (!isAllowed) {
    throw new OAuthError("unauthorized_client", "this client may not use assertions of this issuer", {
      rule: "JB-08",
      expected: trusted.clients?.join(" or ") ?? "a configured client, or clients in the entry of the issuer",
      received: trusted.clients === undefined ? `${client.id}, of the standing ${client.standing}` : client.id,
    });
  }
  if (trusted.grantProfile !== "id-jag" || claims.client_id === client.id) return;
  throw invalidAssertion({
    rule: "IJ-15",
    reason: "the ID-JAG was issued to another client",
    expected: `client ${claims.client_id}`,
    received: `client ${client.id}`,
  });
}

function mappedSubject({ subjects = {} }: TrustedIssuer, sub: string) {
  return Object.hasOwn(subjects, sub) ? subjects[sub] : undefined;
}

/** The user of an assertion; `undefined` if the client acts on its own behalf. */
async function findSubject(
  server: Server,
  client: Client,
  { trusted, claims }: VerifiedAssertion,
): Promise<User | undefined> {
  const mapped = mappedSubject(trusted, claims.sub);
  if (mapped?.client !== undefined && mapped.client !== client.id) {
    throw invalidAssertion({
      rule: "JB-09",
      reason: `assertions about this subject are for client ${mapped.client}`,
      expected: mapped.client,
      received: client.id,
    });
  }
  if (mapped !== undefined && mapped.user === undefined) return undefined;
  const user = mapped?.user !== undefined
    ? await server.users.find(mapped.user)
    : trusted.users === "sub"
    ? await server.users.find(claims.sub) ?? await provision(server, trusted, claims)
    : trusted.users === "email"
    ? await findByEmail(server, trusted, claims)
    : undefined;
  if (user?.sub === client.id && claims.auth_time === undefined) {
    throw invalidAssertion({
      rule: "JB-09",
      reason: "only auth_time would distinguish the token of this user from one of the client with the same id",
      expected: "auth_time in the assertion, or another client",
      received: "no auth_time",
    });
  }
  if (user !== undefined) return user;
  throw invalidAssertion({
    rule: "JB-09",
    reason: "the subject of the assertion is not a user of this server",
    expected: trusted.users === "email"
      ? "the email of exactly one user, with email_verified: true"
      : "a sub that trustedIssuers maps to a registered user or a client",
    received: mapped?.user ?? claims.sub,
  });
}

/** Creates the user if the issuer's entry says so and the subject can be one of this server. */
async function provision(
  server: Server,
  trusted: TrustedIssuer,
  { sub, name, email, email_verified }: VerifiedAssertion["claims"],
): Promise<User | undefined> {
  if (trusted.provision !== true) return undefined;
  // A user of the name of a client would be taken for the client where only `sub` distinguishes them (RFC 9700 §4.15).
  if (await server.clients.registered.find(sub) !== undefined) return undefined;
  const user = {
    sub,
    ...typeof name === "string" && { name },
    ...typeof email === "string" && { email, email_verified: email_verified === true },
  };
  try {
    return await server.users.set(user);
  } catch (error) {
    if ((error as Error).name !== "ConfigurationError") throw error;
    return undefined;
  }
}

/** The only user with the e-mail address of an assertion; none if it is not verified. */
async function findByEmail(
  server: Server,
  { assumeEmailVerified = hasTestHost(server.issuer) }: TrustedIssuer,
  { email, email_verified = assumeEmailVerified }: VerifiedAssertion["claims"],
): Promise<User | undefined> {
  if (typeof email !== "string" || email_verified !== true) return undefined;
  const candidates = new Map<string, User>();
  for (const user of [...server.users.allCached(), ...await server.users.list({ limit: maxEmailCandidates })]) {
    if (user.email === email && user.email_verified !== false) candidates.set(user.sub, user);
  }
  return candidates.size === 1 ? [...candidates.values()][0] : undefined;
}

/** Scope values of a login, which an assertion never grants: it brings no ID token and no refresh token. */
const loginScopes = ["openid", "offline_access"];

/** Grants details, by scope and resources of the access token. */
type GrantDetails = (scope: readonly string[], resources: readonly string[]) => Partial<Authorization>;

/** The details that an ID-JAG grants, or that the client may have on its own behalf; `undefined` without any. */
async function grantedDetails(
  server: Server,
  client: Client,
  parameters: Params,
  { trusted, claims }: VerifiedAssertion,
): Promise<GrantDetails | undefined> {
  const isIdJag = trusted.grantProfile === "id-jag";
  const isOn = server.settings.authorizationDetails !== undefined;
  const claimed = isOn && isIdJag ? claims.authorization_details : undefined;
  if (claimed === undefined && !hasDetails(server, parameters)) return undefined;
  const { narrowDetails, readClaimedDetails, readOwnDetails } = await loadDetails();
  if (!isIdJag) {
    const members = readOwnDetails(server, client, parameters);
    return members && ((_, resources) => members(resources));
  }
  try {
    const authorizationDetails = readClaimedDetails(server, client, claimed ?? []);
    if (authorizationDetails.length === 0 && !hasDetails(server, parameters)) return undefined;
    return (scope, resources) =>
      narrowDetails(server, client, { authorizationDetails, scope }, parameters, resources).members;
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const { expected, received } = error.details;
    const reason = `authorization_details of the ID-JAG is invalid: ${error.message}`;
    const fix =
      "Have the identity provider issue an ID-JAG whose authorization_details match the types of this server.";
    throw invalidAssertion({ rule: "IJ-17", fix, reason, expected, received });
  }
}

/** The requested scope, or without one all that the ID-JAG grants, or the default scope. */
function grantedScope(
  server: Server,
  client: Client,
  parameters: Params,
  { trusted, claims }: VerifiedAssertion,
  user: User | undefined,
  hasDetails: boolean,
): readonly string[] {
  const excluded = user === undefined ? [...loginScopes, ...Object.keys(standardClaims)] : loginScopes;
  const claimed = trusted.grantProfile === "id-jag" && claims.scope !== undefined
    ? splitScope(claims.scope as string)
    : undefined;
  const allowed = client.scope.filter((value) =>
    !excluded.includes(value) && (trusted.scopes?.includes(value) ?? true) && (claimed?.includes(value) ?? true)
  );
  const requested = parameters.get("scope");
  const scope = requested !== undefined
    ? resolveScope(server, client, requested)
    : claimed !== undefined
    ? allowed
    : hasDetails
    ? []
    : server.settings.defaultScope.filter((value) => allowed.includes(value));
  if ((scope.length > 0 || hasDetails && requested === undefined) && scope.every((value) => allowed.includes(value))) {
    return scope;
  }
  throw new OAuthError("invalid_scope", "scope is more than this assertion can grant", {
    rule: "JB-11",
    expected: allowed.length > 0
      ? `some of: ${allowed.join(" ")}`
      : "an assertion that grants scope values of this client",
    received: [
      requested === undefined ? "no scope in the request" : `scope=${requested} in the request`,
      ...claimed === undefined ? [] : [`scope ${quote(claimed.join(" "))} in the ID-JAG`],
    ].join(", "),
  });
}

/** The requested resources; without any, all that the ID-JAG or the issuer's entry names. */
async function grantedResources(
  server: Server,
  client: Client,
  parameters: Params,
  { trusted, claims }: VerifiedAssertion,
): Promise<readonly string[]> {
  const claimed = trusted.grantProfile === "id-jag" && claims.resource !== undefined
    ? [claims.resource as string | string[]].flat()
    : undefined;
  const { resourceParameter, profile } = policyOf(server, client);
  if (claimed === undefined && trusted.grantProfile === "id-jag" && resourceParameter !== "optional") {
    throw invalidAssertion({
      rule: "IJ-17",
      reason: `the ID-JAG names no resource, and one is expected${byProfile(profile, "resourceParameter")}`,
      expected: "resource with the URI of the protected resource",
      received: "no resource",
    });
  }
  if (claimed === undefined && trusted.resources === undefined) return await readResources(server, parameters);
  const allowed = await registeredResources(server, trusted.resources ?? claimed!);
  const granted = claimed === undefined || trusted.resources === undefined
    ? allowed
    : (await registeredResources(server, claimed)).filter((uri) => allowed.includes(uri));
  // The ID-JAG names the resource, so the request need not.
  if (granted.length > 0 && claimed !== undefined && parameters.get("resource") === undefined) return granted;
  if (granted.length > 0) return await narrowResources(server, granted, parameters);
  throw new OAuthError("invalid_target", "the assertion names no resource that this server issues tokens for", {
    rule: "IJ-17",
    expected: allowed.join(" or ") || "a registered resource",
    received: claimed?.join(" ") || "no resource",
  });
}

/** Consumes an assertion: of concurrent requests one succeeds. */
async function consume(server: Server, { claims: { iss, jti, exp } }: VerifiedAssertion): Promise<void> {
  const fail = (reason: string, received: string) =>
    invalidAssertion({ rule: "JB-10", reason, expected: "a unique jti for each assertion", received });
  if (typeof jti !== "string" || jti === "") throw fail("the assertion has no jti", "no jti");
  const id = await storageKey(server, JSON.stringify(["grant assertion", iss, jti]));
  if (await server.store.add("seen", id, {}, { expiresAt: Math.ceil(exp * 1000) })) return;
  throw fail("the assertion was used before", "a repeated jti");
}
