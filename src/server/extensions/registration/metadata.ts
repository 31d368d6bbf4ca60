/** The metadata of a client that registers itself: permitted members, defaults and conflicts (RFC 7591 §2). */

import { ownResponseModes } from "../../../core/authorize/authorization_request.ts";
import { suggest } from "../../../core/policy/suggest.ts";
import { quote, validate } from "../../config/config_issue.ts";
import { type ConfigIssue, ConfigurationError } from "../../../core/rules/configuration_error.ts";
import type { OAuthError } from "../../../core/rules/errors.ts";
import { warn } from "../../trace.ts";
import { splitScope } from "../../../core/http/params.ts";
import { isLocalProgram } from "../../fetching/sender.ts";
import type { Server } from "../../../core/server.ts";
import { redirectsToDevice } from "../../../core/clients/redirect_uri.ts";
import { grantTypesFor } from "../../../core/clients/client.ts";
import type { ClientAuthMethod, ClientEntry, ClientMetadata } from "../../config/client_metadata.ts";
import { parseClient } from "../../clients/clients.ts";
import { findLocalUris } from "../../config/uri_issues.ts";
import { closedMembers, isOpenTo, membersOpenTo } from "../../config/open_members.ts";
import type { Client } from "../../../core/clients/clients.ts";
import { reject } from "./rules.ts";
import { asServerPolicy, supportedGrantTypes } from "../../config/server_policy.ts";
import { hasStanding, isPermitted, requirementOf, standingFor, type StandingHolder } from "../../config/standing.ts";
import { registrationPolicy } from "./settings.ts";
import { findEncryptionIssues, withNeededGrantTypes, withoutUnsupportedValues } from "./unsupported_values.ts";
import { validateUntrustedText } from "../../config/untrusted_text.ts";
import { registrationTexts } from "./explain.ts";

/** What decides which members a request may set. */
export interface RegistrationApproval {
  /** Whether the request has an initial access token. */
  readonly usedInitialAccessToken: boolean;
  /** The claims of a verified software statement. A statement is public, so it approves only its own claims. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/**
 * Resolves received metadata: picks the members that a client may set, and fills in the defaults that the response must
 * contain.
 *
 * @throws {OAuthError} `invalid_redirect_uri` or `invalid_client_metadata`.
 */
export function resolveMetadata(
  server: Server,
  sent: Readonly<Record<string, unknown>>,
  { usedInitialAccessToken, claims }: RegistrationApproval,
): Omit<ClientMetadata, "client_id"> {
  const client: StandingHolder = usedInitialAccessToken
    ? { standing: "approved" }
    : { standing: "unknown", approvedMembers: claims && Object.keys(claims) };
  const received = { ...sent, ...claims };
  const chosen: Omit<ClientMetadata, "client_id"> = Object.fromEntries(
    // A member that is null counts as absent. All other members are ignored (§2).
    membersOpenTo(server.policy, "approved").flatMap((name) =>
      Object.hasOwn(received, name) && received[name] !== null &&
        isOpenTo(server.policy, name, standingFor(client, name))
        ? [[name, received[name]]]
        : []
    ),
  );
  if (!usedInitialAccessToken) assertSmall(chosen);
  const requested = withNeededGrantTypes(server, withoutUnsupportedValues(server, chosen));
  warnIgnored(server, received, client);
  warnMisspelt(server, received);
  assertMetadata(server, requested, received, client, chosen.grant_types);
  const { grant_types = ["authorization_code"] } = requested;
  const allScopes = server.policy.userScopes.join(" ");
  const token_endpoint_auth_method = requested.token_endpoint_auth_method ?? defaultMethod(server);
  return {
    ...requested,
    token_endpoint_auth_method,
    grant_types,
    response_types: requested.response_types ?? (grant_types.includes("authorization_code") ? ["code"] : []),
    scope: registrationPolicy(server).scope === "all"
      ? allScopes
      : ownScope(server, requested.scope, client) ?? allScopes,
    id_token_signed_response_alg: requested.id_token_signed_response_alg ?? server.policy.alg,
    ...server.policy.responseModes.some((mode) => !ownResponseModes.has(mode)) && {
      authorization_signed_response_alg: requested.authorization_signed_response_alg ?? server.policy.alg,
    },
    subject_type: requested.subject_type ?? "public",
    application_type: requested.application_type ??
      inferApplicationType(server, requested, token_endpoint_auth_method),
  };
}

/** The requested scope; without approval it has no value that only a client itself can get. */
function ownScope({ policy }: Server, scope: string | undefined, client: StandingHolder): string | undefined {
  if (scope === undefined || standingFor(client, "scope") !== "unknown") return scope;
  const { clientScopes } = asServerPolicy(policy);
  return splitScope(scope).filter((value) => !clientScopes.includes(value)).join(" ");
}

/** Maximum size of the metadata of an unknown client, in bytes of JSON, and of its list of redirect URIs. */
const maxUnknownBytes = 8 * 1024;
const maxUnknownRedirectUris = 32;

function assertSmall(requested: Omit<ClientMetadata, "client_id">): void {
  const { length: bytes } = new TextEncoder().encode(JSON.stringify(requested));
  if (bytes > maxUnknownBytes) throw reject("DR-13", { unit: "bytes", limit: maxUnknownBytes, count: bytes });
  const { redirect_uris } = requested;
  if (!Array.isArray(redirect_uris) || redirect_uris.length <= maxUnknownRedirectUris) return;
  throw reject("DR-13", { unit: "URIs", limit: maxUnknownRedirectUris, count: redirect_uris.length });
}

/**
 * The method of a client that names none. If the server offers `client_secret_basic`, the metadata stays without a
 * method: the client may then use Basic or the body, because libraries differ. Otherwise it is the first method of the
 * server.
 */
function defaultMethod({ policy: { clientAuthMethods } }: Server): ClientAuthMethod | undefined {
  return clientAuthMethods.includes("client_secret_basic") ? undefined : clientAuthMethods[0];
}

/**
 * Parses a complete entry, and rejects metadata that this server cannot register. The repository validates each entry
 * that it stores, so it does this again: here an error becomes a response, before documents are fetched for the client
 * and other clients are removed because of it.
 */
export function parseRegistration(
  server: Server,
  entry: ClientEntry,
  received: Readonly<Record<string, unknown>>,
): Client {
  try {
    const client = parseClient(server.policy, server.audience, entry);
    server.passed("DR-04");
    return client;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw invalidMetadata(server, error.issues, received);
  }
}

/** Whether the authentication method needs a secret. Without a method it is `client_secret_basic` (§2). */
export function issuesSecret({ token_endpoint_auth_method: method }: Partial<ClientMetadata>): boolean {
  return method === undefined || method.startsWith("client_secret_");
}

/** Warns about members that the server or the operator sets. */
function warnIgnored(
  server: Server,
  received: Readonly<Record<string, unknown>>,
  client: StandingHolder,
): void {
  const names = closedMembers(server.policy, received, "unknown")
    .filter((name) => !isOpenTo(server.policy, name, standingFor(client, name)));
  if (names.length === 0) return;
  warn(server, undefined, {
    rule: "DR-02",
    reason: `${names.join(" and ")} of the registration request ${names.length === 1 ? "is" : "are"} ignored`,
    expected: "metadata without these members: the server chooses id and secret, and the operator sets the others",
    received: names.join(", "),
    fix: registrationTexts["DR-02"].fix,
  });
}

/** Maximum number of unknown members that are compared with the known ones. */
const maxComparedMembers = 20;

/** Warns about ignored members whose names are probably misspelt. */
function warnMisspelt(server: Server, received: Readonly<Record<string, unknown>>): void {
  for (const [name, known] of findMisspelt(server, received)) {
    warn(server, undefined, {
      rule: "DR-02",
      reason: `a member of the client metadata is unknown and ignored`,
      expected: known,
      received: quote(name),
      fix: `Did you mean ${known}?`,
    });
  }
}

/**
 * The unknown members that are probably misspelt, each with the name of the absent member. `name#ja` has a language tag
 * (§2.2).
 */
function findMisspelt(
  { policy }: Server,
  received: Readonly<Record<string, unknown>>,
): (readonly [name: string, known: string])[] {
  const absent = membersOpenTo(policy, "approved").filter((name) => !Object.hasOwn(received, name));
  const ignored = Object.keys(received).filter((name) =>
    !Object.hasOwn(asServerPolicy(policy).clientField.members, name) && !name.includes("#")
  );
  return ignored.slice(0, maxComparedMembers).flatMap((name) => {
    const known = suggest(name, absent);
    return known === undefined ? [] : [[name, known] as const];
  });
}

/**
 * The grant types that need a higher standing, such as `client_credentials` for a client without approval.
 *
 * @param named The grant types that the request or its statement names. All others follow from the response types, and
 *   are approved with these.
 */
function findClosedGrants(
  server: Server,
  { grant_types = [] }: Omit<ClientMetadata, "client_id">,
  client: StandingHolder,
  named: readonly string[] = [],
): ConfigIssue[] {
  const ofResponseTypes = { standing: standingFor(client, "response_types") };
  const closed = supportedGrantTypes(asServerPolicy(server.policy)).filter((type) =>
    grant_types.includes(type.type) &&
    !(isPermitted(server, client, type) && (named.includes(type.type) || isPermitted(server, ofResponseTypes, type)))
  );
  if (closed.length === 0) return [];
  const isOpenToApproved = closed.every((type) => hasStanding({ standing: "approved" }, requirementOf(type).from));
  return [{
    path: "grant_types",
    expected: `no ${closed.map(({ type }) => type).join(", ")}, ${
      isOpenToApproved
        ? "because the request has no initial access token, and no software statement with the grant type"
        : "which only configured clients may use"
    }`,
    received: quote(grant_types.join(" ")),
    hint: isOpenToApproved
      ? "Remove the grant type, or ask the operator for an initial access token."
      : "Remove the grant type, or ask the operator to configure the client.",
  }];
}

/** Conflicts between members, which a configured client may have but a registering one may not. */
function findConflicts(requested: Omit<ClientMetadata, "client_id">): ConfigIssue[] {
  const {
    grant_types = ["authorization_code"],
    response_types,
    redirect_uris = [],
    application_type,
    token_endpoint_auth_method,
  } = requested;
  const issues: ConfigIssue[] = [];
  const usesCode = grant_types.includes("authorization_code");
  if (response_types !== undefined && grantTypesFor(response_types).includes("authorization_code") !== usesCode) {
    issues.push({
      path: "response_types",
      expected: usesCode
        ? `"code", because grant_types contains authorization_code`
        : `no "code", because grant_types does not contain authorization_code`,
      received: quote(response_types.join(" ")),
      hint: "Register both or neither.",
    });
  }
  if (grant_types.includes("client_credentials") && token_endpoint_auth_method === "none") {
    issues.push({
      path: "grant_types",
      expected: `no client_credentials, because token_endpoint_auth_method is "none"`,
      received: quote(grant_types.join(" ")),
      hint: "Register a method of client authentication, or remove the grant type.",
    });
  }
  for (const [i, uri] of redirect_uris.entries()) {
    if (application_type !== "web" || !URL.canParse(uri) || /^https?:$/.test(new URL(uri).protocol)) continue;
    issues.push({
      path: `redirect_uris[${i}]`,
      expected: `an http or https URI, because application_type is "web"`,
      received: quote(uri),
      hint: `Set application_type to "native", or leave it out.`,
    });
  }
  return issues;
}

/**
 * Native apps often forget `application_type`, whose default is `web` (OpenID Connect Registration §2). A confidential
 * web application may use plain http on localhost (OpenID Connect Core §3.1.2.1), unless the settings forbid it.
 */
function inferApplicationType(
  server: Server,
  { redirect_uris: uris = [] }: Omit<ClientMetadata, "client_id">,
  method: ClientMetadata["token_endpoint_auth_method"],
): "web" | "native" {
  if (uris.length === 0 || !uris.every(redirectsToDevice)) return "web";
  const isLoopbackAllowed = method !== "none" &&
    !asServerPolicy(server.policy).nativeOnlyRedirectUris.includes("loopback");
  if (isLoopbackAllowed && uris.every((uri) => /^https?:/i.test(uri))) return "web";
  warn(server, undefined, {
    rule: "DR-04",
    reason: "application_type is missing, and its default web does not allow these redirect URIs: registered as native",
    expected: `application_type: "native"`,
    received: `no application_type; redirect_uris ${uris.join(" ")}; token_endpoint_auth_method ${
      method ?? "client_secret_basic"
    }`,
    fix: `Send application_type: "native" for an app on the device of the user. A web server authenticates.`,
  });
  return "native";
}

/**
 * Rejects metadata with a member of the wrong form, or with a conflict, before the server adds defaults, which need
 * members of the right form. The error also names the problems that remain
 * without the faulty members.
 */
function assertMetadata(
  server: Server,
  requested: Omit<ClientMetadata, "client_id">,
  received: Readonly<Record<string, unknown>>,
  client: StandingHolder,
  namedGrantTypes: readonly string[] | undefined,
): void {
  const malformed = [
    ...validate({ ...asServerPolicy(server.policy).clientField, required: [] }, requested),
    ...validateUntrustedText(requested),
  ];
  const faulty = new Set(malformed.map(memberOf));
  const rest = Object.fromEntries(Object.entries(requested).filter(([name]) => !faulty.has(name)));
  const unapproved = Object.entries(rest).filter(([name]) => standingFor(client, name) === "unknown");
  const issues = [
    ...malformed,
    ...findConflicts(rest),
    ...findEncryptionIssues(server, received),
    ...findClosedGrants(server, rest, client, namedGrantTypes),
    ...isLocalProgram(server) ? [] : findLocalUris(Object.fromEntries(unapproved), server.policy),
  ];
  if (issues.length === 0) return;
  try {
    parseClient(server.policy, server.audience, { ...rest, client_id: "registering" });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    // The server itself sets the closed members. An issue of a removed or conflicting member may be a consequence of
    // another issue.
    const named = new Set([
      ...issues.map(memberOf),
      ...closedMembers(server.policy, asServerPolicy(server.policy).clientField.members, "unknown"),
    ]);
    issues.push(...error.issues.filter((issue) => !named.has(memberOf(issue))));
  }
  throw invalidMetadata(server, issues, received);
}

/** The member of the metadata that an issue is about: `redirect_uris` of `redirect_uris[0]`. */
function memberOf({ path }: ConfigIssue): string {
  return path.split(/[.[]/, 1)[0]!;
}

function invalidMetadata(
  server: Server,
  issues: readonly ConfigIssue[],
  metadata: Readonly<Record<string, unknown>>,
): OAuthError {
  const [first, ...others] = issues as readonly [ConfigIssue, ...ConfigIssue[]];
  const misspelt = findMisspelt(server, metadata).find(([, known]) => known === first.path);
  // The members with URLs that the server fetches or that pages show.
  const rule = first.path.endsWith("_uri") && first.expected.includes("URL") ? "DR-08" : "DR-04";
  return reject(rule, { issues: [first, ...others], misspelt: misspelt && quote(misspelt[0]) });
}
