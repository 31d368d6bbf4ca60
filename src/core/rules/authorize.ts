/** Rules of the authorization request: parameters, redirect URI, PKCE, response mode. */

import { type ByPolicy, type Rule, rule } from "./rule.ts";

/** @internal Facts about a parameter that must not repeat. */
export interface Repeated {
  readonly repeated: string;
  /** How often it was sent; absent if it was not counted. */
  readonly times?: number;
}

export function repeatedMessage({ repeated }: Repeated): string {
  return `${repeated} was sent more than once`;
}

export interface UnregisteredUri {
  readonly clientId: string;
  readonly uri: string;
  readonly registered: readonly string[];
}

export interface UnknownClient {
  readonly id: string;
  readonly redirectUri?: string;
}

/** Facts about a source of parameters that cannot be used. */
export interface UnusableSource {
  readonly parameter: "request" | "request_uri";
  /**
   * `both`: the request has both parameters. `gone`: the server no longer supports stored requests. `no keys`: no
   * request of the client can be verified.
   */
  readonly problem: "unsupported" | "both" | "gone" | "no keys";
  /** The client without keys. */
  readonly clientId?: string;
  /** How values of the parameter begin that the server supports; absent if it supports none. */
  readonly prefix?: string;
}

export interface UnsupportedResponseType extends ByPolicy {
  /** Absent if the request has none. */
  readonly received?: string;
}

export interface UnregisteredResponseType {
  readonly type: string;
  /** The grant types that it needs. */
  readonly needed: readonly string[];
  readonly grantTypes: readonly string[];
  /** The response types of the client. */
  readonly registered: readonly string[];
}

export interface ScopeValues {
  readonly requested: readonly string[];
  /** The values that the client may request. */
  readonly registered: readonly string[];
}

export interface DisallowedScope {
  readonly disallowed: readonly string[];
  readonly clientId: string;
}

/** Facts about a request without scope: the server has no default, or the client may not request the default. */
export type MissingScope = Pick<ScopeValues, "registered"> | Pick<ScopeValues, "registered"> & DisallowedScope;

export type WrongScope =
  | ScopeValues & { readonly problem: "unknown" }
  | ScopeValues & DisallowedScope & { readonly problem: "not allowed" };

/** Why a request cannot be approved: no user can approve it, or the user or the client does not exist any more. */
const denials = {
  "no users": "this server has no users",
  user: "the user does not exist",
  client: "the client was removed during the login",
} as const;

export interface UnsupportedResponseMode extends ByPolicy {
  /** Absent if the request has none. */
  readonly received?: string;
  /** The default of the response type. */
  readonly defaultMode: string;
  /** The modes of the server that the response type allows. */
  readonly possible: readonly string[];
  /** The modes of the server that the response type forbids. */
  readonly impossible: readonly string[];
  /** The modes of the client; absent if it may use each. */
  readonly registered?: readonly string[];
}

/** What requires a code challenge: that the client is public, its metadata, or the setting `pkce`. */
export type ChallengeRequirement = "public client" | "require_pkce" | "requireForConfidential";

/** Facts about a missing challenge of a confidential client. */
export interface MissingChallenge extends ByPolicy {
  readonly requiredBy: Exclude<ChallengeRequirement, "public client">;
  /** Whether the setting accepts a nonce instead (OAuth 2.1 §7.5.1). */
  readonly acceptsNonce: boolean;
}

const missingChallenge = "code_challenge is missing, and this client must send one";

export interface WrongVerifier {
  readonly clientId: string;
  /** The challenge of the authorization request. */
  readonly challenge: string;
  readonly verifier: string;
  /** The challenge of the verifier. */
  readonly computed: string;
}

/** By ID, in the order of `tests/rules.md`. */
export const authorizeRules = {
  "AZ-02": rule<UnknownClient | Repeated | undefined>(
    "invalid_request",
    (facts) =>
      facts === undefined
        ? "client_id is missing"
        : "repeated" in facts
        ? repeatedMessage(facts)
        : "client_id is not registered",
    "OAuth 2.1 §4.1.2.1",
  ),
  "AZ-06": rule<Repeated>("invalid_request", repeatedMessage, "OAuth 2.1 §3.1, §4.1.2.1"),
  "AZ-07": rule<Repeated>("invalid_request", repeatedMessage, "OAuth 2.1 §3.1; RFC 8707 §2"),
  "AZ-09": rule<UnsupportedResponseType>(
    ({ received }) => received === undefined ? "invalid_request" : "unsupported_response_type",
    ({ received, policy }) =>
      received === undefined
        ? "response_type is missing"
        : `response_type is not supported; use ${policy.responseTypes.join(" or ")}`,
    "OAuth 2.1 §4.1.1, §4.1.2.1",
  ),
  "AZ-11": rule<UnregisteredResponseType>(
    "unauthorized_client",
    ({ type }) => `this client is not registered for ${type === "code" ? "the code flow" : `response_type=${type}`}`,
    "OAuth 2.1 §4.1.2.1",
  ),
  // `bytes`: those of a request, in the parameter that carries it during the login.
  "AZ-13": rule<
    { readonly limit: number } & ({ readonly name: string; readonly length: number } | { readonly bytes: number })
  >(
    "invalid_request",
    (facts) =>
      "name" in facts
        ? `${facts.name} is longer than ${facts.limit} characters`
        : "the request is too large to store during login",
  ),
  "AZ-15": rule(
    "invalid_scope",
    "scope contains a character that scope values cannot have",
    "OAuth 2.1 §1.4.1, App. A",
  ),
  "AZ-16": rule<MissingScope>(
    "invalid_scope",
    (facts) =>
      "disallowed" in facts
        ? "scope is missing, and this client may not request the default scope"
        : "scope is missing, and this server has no default scope",
    "OAuth 2.1 §1.4.1",
  ),
  "AZ-17": rule<WrongScope>(
    "invalid_scope",
    (facts) =>
      facts.problem === "unknown"
        ? "scope contains an unknown value"
        : facts.disallowed.length === 0
        ? "scope contains no value that this client may request"
        // These values are configured on the server, so the response may name them.
        : `scope contains a value that this client may not request: ${facts.disallowed.join(" ")}`,
    "OAuth 2.1 §4.1.2.1; OpenID Connect Core §3.1.2.1",
  ),
  // `granted`: the granted scope, without openid, for a response with an ID token.
  "AZ-18": rule<{ readonly requested: readonly string[] } | { readonly granted: readonly string[] }>(
    "access_denied",
    (facts) =>
      "granted" in facts
        ? "the scope openid was not granted, so there is no ID token"
        : "no part of the request was granted",
    "OAuth 2.1 §1.4.1, §3.2.3",
  ),
  "AZ-19": rule<UnsupportedResponseMode>(
    "invalid_request",
    "response_mode is not supported",
    "OAuth 2.0 Multiple Response Types",
  ),
  "AZ-21": rule<{ readonly denied: keyof typeof denials }>(
    "access_denied",
    ({ denied }) => denials[denied],
    "OAuth 2.1 §4.1.2.1",
  ),
  "AZ-22": rule<{ readonly isStoreDown: boolean }>(
    ({ isStoreDown }) => isStoreDown ? "temporarily_unavailable" : "server_error",
    ({ isStoreDown }) =>
      isStoreDown
        ? "the server cannot reach its store, try again later"
        : "the server encountered an unexpected condition",
    "OAuth 2.1 §4.1.2.1",
  ),
  "JR-01": rule<UnusableSource>(
    ({ parameter, problem }) =>
      problem === "unsupported" || problem === "no keys"
        ? `${parameter}_not_supported`
        : problem === "both"
        ? "invalid_request"
        : "invalid_request_uri",
    ({ parameter, problem }) =>
      problem === "unsupported"
        ? `${parameter} is not supported by this server`
        : problem === "both"
        ? "request and request_uri are mutually exclusive"
        : problem === "no keys"
        ? "request is not supported for this client, which has no keys"
        : "request_uri is unknown, expired or used",
    "OpenID Connect Core §6; RFC 9101 §5",
  ),
  "RU-01": rule<UnregisteredUri>(
    "invalid_request",
    "redirect_uri is not registered for this client",
    "OAuth 2.1 §4.1.1; RFC 9700 §4.1.3; RFC 3986 §6.2.1",
  ),
  "RU-06": rule<{ readonly registered: readonly string[] } & ByPolicy>(
    "invalid_request",
    "redirect_uri is missing",
    "OAuth 2.1 §2.3.2",
  ),
  "RU-07": rule<{ readonly registered: readonly string[] }>(
    "invalid_request",
    "redirect_uri is missing",
    "OAuth 2.1 §2.3.2; OpenID Connect Core §3.1.2.1",
  ),
  "RU-11": { source: "OAuth 2.1 §2.3.1; RFC 8252 §7.1, §8.4" },
  "PK-01": rule("invalid_request", missingChallenge, "OAuth 2.1 §4.1.2.1"),
  "PK-02": rule<MissingChallenge>("invalid_request", missingChallenge, "OAuth 2.1 §4.1.2.1, §7.5.1"),
  "PK-04": rule<{ readonly method: string }>(
    "invalid_request",
    "code_challenge_method is not supported, only S256 is",
    "OAuth 2.1 §4.1.2.1",
  ),
  "PK-05": rule<ByPolicy>("invalid_request", "code_challenge_method is missing, it must be S256", "OAuth 2.1 §4.1.1"),
  "PK-06": rule("invalid_request", "code_challenge_method was sent without code_challenge"),
  "PK-07": rule<{ readonly challenge: string }>(
    "invalid_request",
    "code_challenge is not an S256 challenge of 43 base64url characters",
    "OAuth 2.1 §4.1.1",
  ),
  "PK-08": rule<{ readonly verifier: string }>(
    "invalid_request",
    "code_verifier is not 43 to 128 unreserved characters",
    "OAuth 2.1 §4.1.1",
  ),
  "PK-09": rule<WrongVerifier>(
    "invalid_grant",
    "code_verifier does not match code_challenge",
    "OAuth 2.1 §4.1.3; RFC 7636 §4.6",
  ),
  // `requiredBy`: what requires the challenge that the code lacks; absent if the code has one.
  "PK-10": rule<{ readonly requiredBy?: ChallengeRequirement }>(
    "invalid_grant",
    ({ requiredBy }) =>
      requiredBy === undefined
        ? "code_verifier is missing"
        : "code_verifier is missing, and the code was issued without code_challenge",
    "OAuth 2.1 §4.1.3",
  ),
  "PK-11": rule(
    "invalid_grant",
    "code_verifier was sent, but the authorization request had no code_challenge",
    "OAuth 2.1 §3.2.4; RFC 9700 §4.8.2",
  ),
  "PK-14": { source: "RFC 9700 §2.1.1" },
  "FP-03": rule("invalid_request", "state contains a control character, which form_post cannot return unchanged"),
  "FP-04": { source: "" },
} as const satisfies Readonly<Record<string, Rule>>;
