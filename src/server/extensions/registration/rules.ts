/** Rules of dynamic client registration and its management. */

import type { ConfigIssue } from "../../../core/rules/configuration_error.ts";
import { rejectBy } from "../../../core/rules/reject.ts";
import { type ExtensionErrorCode, type Rule, rule } from "../../../core/rules/rule.ts";
import type { ByProfile } from "../../config/server_policy.ts";
import type { MissingToken } from "../../../core/rules/openid.ts";
import { describeOff } from "./settings.ts";

/** RFC 7591 §3.2.2. */
const invalidRedirectUri = "invalid_redirect_uri" as ExtensionErrorCode;
const invalidStatement = "invalid_software_statement" as ExtensionErrorCode;
const unapprovedStatement = "unapproved_software_statement" as ExtensionErrorCode;

/** Metadata with a member of the wrong form, or with a conflict. */
export interface InvalidMetadata {
  /** The error describes the first issue, and the others in short. */
  readonly issues: readonly [ConfigIssue, ...ConfigIssue[]];
  /** The name of an unknown member that is probably the member of the first issue. */
  readonly misspelt?: string;
}

/** A sector identifier whose document cannot be fetched, or does not list every redirect URI. */
export type InvalidSector =
  | { readonly sector: "unfetched"; readonly expected: string; readonly received: string }
  | {
    readonly sector: "incomplete";
    readonly redirectUris: readonly string[];
    /** The redirect URIs that the list lacks; none if there is no list. */
    readonly missing: readonly string[];
  };

/** A caller that may not register a client, or not yet. */
export type UnauthorizedRegistration = { readonly retryAfter: number } | { readonly hasToken: boolean };

/** A registration access token that does not belong to the client. */
export interface InvalidRegistrationToken {
  readonly problem: "unknown" | "configured" | "other token";
}

/** An update that names another client or secret, or sets members that only the server sets. */
export type InvalidUpdate =
  | { readonly problem: "members"; readonly names: readonly string[] }
  | { readonly problem: "client_id"; readonly clientId: string; readonly isSent: boolean }
  | { readonly problem: "client_secret" };

/** A limit of clients that allows no further one, or for which the client was removed. */
export type ClientLimit = { readonly problem: "reached"; readonly maxClients: number } | {
  readonly problem: "removed";
};

/** A software statement that is not accepted. */
export type UnacceptedStatement =
  | {
    readonly problem: "invalid";
    readonly why: string;
    readonly expected: string;
    readonly received?: string;
    readonly fix?: string;
  }
  | { readonly problem: "issuer"; readonly expected: string; readonly issuer: unknown }
  | {
    readonly problem: "URI";
    /** The member of the request that has a URI which the statement lacks. */
    readonly member: "redirect_uris" | "post_logout_redirect_uris";
    readonly approved: readonly string[];
    readonly received: string;
  };

/** Metadata that is too large for a client without an initial access token. */
export interface LargeMetadata {
  readonly unit: "bytes" | "URIs";
  readonly limit: number;
  readonly count: number;
}

/** A request to register a client at a server where registration is off. */
export interface RegistrationOff extends ByProfile {
  /** Whether the response has the reason. */
  readonly isExplained: boolean;
}

/** The issue that an error about metadata describes. */
export function firstIssue({ issues: [first], misspelt }: InvalidMetadata): ConfigIssue {
  if (misspelt === undefined) return first;
  return { ...first, received: `${first.received}, but ${misspelt}`, hint: `Did you mean ${first.path}?` };
}

/** The other issues of metadata, as the end of a sentence. */
export function alsoInvalid(
  { issues: [, ...others] }: InvalidMetadata,
  describe: (issue: ConfigIssue) => string,
): string {
  return others.length === 0 ? "" : `; also invalid: ${others.map(describe).join(", ")}`;
}

function metadataCode({ issues: [{ path }] }: InvalidMetadata) {
  return path.startsWith("redirect_uris") ? invalidRedirectUri : "invalid_client_metadata";
}

function metadataMessage(facts: InvalidMetadata): string {
  const { path, expected, hint } = firstIssue(facts);
  // JSON needs double quotes, which error_description must not contain (RFC 6749 §5.2): the trace has the example.
  const publicFix = /": |[[{]"/.test(hint) ? "" : `. ${hint.replace(/\.$/, "")}`;
  return `${path}: expected ${expected}${publicFix}${alsoInvalid(facts, (issue) => issue.path)}`;
}

function updateMessage(facts: InvalidUpdate): string {
  switch (facts.problem) {
    case "members":
      return `${facts.names.join(", ")} must not be sent`;
    case "client_id":
      return "client_id must be that of the registration";
    case "client_secret":
      return "client_secret must be the current one";
  }
}

/** By ID, in the order of `tests/rules.md`. */
export const registrationRules = {
  "DR-01": { source: "RFC 7591 §3.2.1" },
  "DR-02": { source: "RFC 7591 §2" },
  "DR-03": { source: "RFC 7591 §3.1, §3.2.2" },
  "DR-04": rule<InvalidMetadata>(
    metadataCode,
    metadataMessage,
    "RFC 7591 §2, §2.1, §3.2.1; OpenID Connect Registration §2",
  ),
  "DR-05": rule<UnauthorizedRegistration>(
    (facts) => "retryAfter" in facts ? "temporarily_unavailable" : "invalid_token",
    (facts) =>
      "retryAfter" in facts
        ? "too many registrations, try again later"
        : "registration requires a valid initial access token",
    "RFC 7591 §3; OAuth 2.1 §7.9",
  ),
  "DR-06": rule<MissingToken | InvalidRegistrationToken>(
    "invalid_token",
    (facts) => "header" in facts ? "an access token is required" : "the registration access token is invalid",
    "RFC 7592 §2, §3",
  ),
  "DR-07": rule<InvalidUpdate>("invalid_request", updateMessage, "RFC 7592 §2.2"),
  // The same sentence for the client, whatever was fetched (SSRF); the trace has the reason.
  "DR-08": rule<InvalidMetadata | InvalidSector>(
    (facts) => "sector" in facts ? "invalid_client_metadata" : metadataCode(facts),
    (facts) =>
      "sector" in facts
        ? "sector_identifier_uri: the document there cannot be fetched, or does not list every redirect URI"
        : metadataMessage(facts),
    "RFC 7591 §5; RFC 7592 §2.3; OpenID Connect Registration §5",
  ),
  "DR-09": rule<ClientLimit>(
    ({ problem }) => problem === "removed" ? "invalid_client" : "temporarily_unavailable",
    ({ problem }) =>
      problem === "removed"
        ? "the client was removed, because newer registrations exceeded the limit"
        : "too many registered clients are in use",
    "RFC 7591 §5",
  ),
  "DR-10": rule<UnacceptedStatement>(
    (facts) =>
      facts.problem === "invalid"
        ? invalidStatement
        : facts.problem === "issuer"
        ? unapprovedStatement
        : facts.member === "redirect_uris"
        ? invalidRedirectUri
        : "invalid_client_metadata",
    (facts) =>
      facts.problem === "invalid"
        ? "the software statement is not a valid, signed JWT"
        : facts.problem === "issuer"
        ? "this server does not approve the statement's issuer"
        : `${facts.member} has a value that the software statement lacks`,
    "RFC 7591 §2.3, §3.2.2",
  ),
  "DR-13": rule<LargeMetadata>(
    ({ unit }) => unit === "bytes" ? "invalid_client_metadata" : invalidRedirectUri,
    ({ unit, limit }) =>
      unit === "bytes" ? `the metadata has more than ${limit} bytes` : `redirect_uris has more than ${limit} URIs`,
    "RFC 7591 §5",
  ),
  "DR-12": rule<RegistrationOff>(
    "invalid_request",
    (facts) => facts.isExplained ? describeOff(facts) : "this address does not exist",
  ),
} as const satisfies Readonly<Record<string, Rule>>;

/** Creates the error of a rule of registration. */
export const reject = rejectBy(registrationRules);
