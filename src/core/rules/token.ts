/** Rules of the token endpoint: client authentication, grant types, codes, refresh tokens. */

import type { RevocationRecord } from "../store/store.ts";
import { type Repeated, repeatedMessage } from "./authorize.ts";
import { type ByPolicy, grantRule, type Rule, rule } from "./rule.ts";

/** Facts about a code or refresh token of another client, by the ids of both clients. */
interface OtherClient {
  readonly issuedTo: string;
  readonly sentBy: string;
}

/** Facts about an expired code, token or grant; times in milliseconds since the epoch. */
export interface Expired {
  readonly validUntil: number;
  readonly now: number;
}

interface Reused {
  /** Milliseconds since the epoch. */
  readonly usedAt: number;
  readonly clientId: string;
}

/** Facts about a failed client authentication. The client learns none of them, except on test hosts. */
export type FailedAuthentication =
  | { readonly failure: "no client" }
  | {
    readonly failure: "unknown client";
    readonly id: string | undefined;
    readonly used: string;
    /** Whether the secret that was sent is the id of a client. */
    readonly isSwapped?: boolean;
  }
  | {
    readonly failure: "not authenticated";
    readonly id: string;
    readonly registered: string;
    readonly accepted: readonly string[];
  }
  | { readonly failure: "another method"; readonly id: string; readonly registered: string; readonly used: string }
  | { readonly failure: "wrong secret"; readonly id: string; readonly used: string }
  | {
    readonly failure: "expired secret";
    /** Seconds since the epoch. */
    readonly at: number;
  }
  | ByPolicy & { readonly failure: "method not offered"; readonly used: string }
  | { readonly failure: "public client"; readonly id: string };

interface DisallowedGrantType {
  readonly client: {
    readonly id: string;
    readonly standing: string;
    readonly confidential: boolean;
    readonly grantTypes: readonly string[];
  };
  readonly grantType: { readonly type: string };
}

/** By ID, in the order of `tests/rules.md`. */
export const tokenRules = {
  "TK-02": { source: "OAuth 2.1 §3.2.2, App. B" },
  "TK-03": { source: "OAuth 2.1 §2.4.1, §3.2.2" },
  "TK-04": rule<Repeated>("invalid_request", repeatedMessage, "OAuth 2.1 §3.2; RFC 8707 §2"),
  "TK-05": rule<{ readonly grantTypes: readonly string[]; readonly sent?: string }>(
    ({ sent }) => sent === undefined ? "invalid_request" : "unsupported_grant_type",
    ({ sent }) => sent === undefined ? "grant_type is missing" : "grant_type is not supported by this server",
    "OAuth 2.1 §3.2.4; RFC 9700 §2.4",
  ),
  "TK-06": rule<DisallowedGrantType>(
    "unauthorized_client",
    ({ client, grantType }) =>
      client.grantTypes.includes(grantType.type)
        ? "this client may not use this grant_type"
        : "this client is not registered for this grant_type",
    "OAuth 2.1 §3.2.4",
  ),
  "TK-08": rule("invalid_request", "client_id does not match the authenticated client", "OAuth 2.1 §3.2.2"),
  "TK-14": rule("invalid_request", "redirect_uri is missing"),
  "TK-15": rule<{ readonly expected: string; readonly received: string; readonly approvedAt: number }>(
    "invalid_grant",
    "redirect_uri does not match the authorization request",
    "OAuth 2.1 §10.2; RFC 6749 §4.1.3",
  ),
  // Without a code. Any other error of this rule is an `invalid_grant` error of the grant type.
  "TK-16": rule<{ readonly isEmpty: boolean } | { readonly lifetime: number }>(
    "invalid_request",
    "code is missing or empty",
    "OAuth 2.1 §3.2.4",
  ),
  "CA-04": rule("invalid_client", "the Authorization header is not Basic credentials", "OAuth 2.1 §3.2.4"),
  "CA-07": rule<FailedAuthentication>("invalid_client", "client authentication failed", "OAuth 2.1 §2.4.1"),
  "CA-09": rule<{ readonly methods: readonly string[] }>(
    "invalid_request",
    "the request uses more than one method of client authentication",
    "OAuth 2.1 §2.4, §3.2.4",
  ),
  "CA-16": { source: "OAuth 2.1 §2.4.1; RFC 7591 §2" },
  "CA-17": { source: "RFC 6749 §2.3.1" },
  "CI-02": grantRule<Expired>("OAuth 2.1 §4.1.2"),
  "CI-05": grantRule<OtherClient>("OAuth 2.1 §4.1.3, §7.5.3"),
  "CI-06": grantRule<Reused>("OAuth 2.1 §4.1.3, §7.5.3"),
  "CI-11": grantRule<
    { readonly lost: "client" | "user" | "extension"; readonly id: string } | {
      readonly lost: "consent";
      readonly revocation: RevocationRecord;
    }
  >("OAuth 2.1 §4.1.3"),
  "RT-02": grantRule<OtherClient>("OAuth 2.1 §3.2.3, §4.3"),
  "RT-04": grantRule<Reused | { readonly revocation: RevocationRecord }>("OAuth 2.1 §4.3.1; RFC 9700 §4.14.2"),
  "RT-06": rule<{ readonly requested: string; readonly granted: readonly string[] }>(
    "invalid_scope",
    "scope is more than was granted",
    "OAuth 2.1 §4.3.1, §4.3.3",
  ),
  // Without a token. Any other error of this rule is an `invalid_grant` error of the grant type.
  "RT-07": rule<
    | { readonly isMissing: true }
    | { readonly isUnknown: true }
    | ({ readonly expired: "grant" | "token" } & Expired)
  >("invalid_request", "refresh_token is missing", "OAuth 2.1 §4.3.1, §4.3.3"),
  "RT-09": grantRule<{ readonly registered: readonly string[]; readonly granted: readonly string[] }>(
    "OAuth 2.1 §4.3.1; RFC 6749 §6",
  ),
  "CC-01": rule("unauthorized_client", "only a confidential client may use client_credentials", "OAuth 2.1 §4.2"),
  "CC-02": rule<{ readonly userScopes: readonly string[]; readonly requested?: string }>(
    "invalid_scope",
    "scope contains a value that only a user can grant",
    "RFC 6749 §4.4.3; OpenID Connect Core",
  ),
  "CC-03": rule("insufficient_scope", "the access token has no user", "RFC 9700 §4.15; OAuth 2.1 §7.4"),
  "RI-01": rule<{ readonly uri: string; readonly problem: "unsuitable" }>(
    "invalid_target",
    "the server issues no tokens for this resource",
    "RFC 8707 §2",
  ),
  "RV-01": rule("invalid_request", "token is missing", "RFC 7009 §2.1"),
  "IN-01": rule("invalid_request", "token is missing", "RFC 7662 §2.1"),
  "IN-02": { source: "RFC 7662 §2.2" },
} as const satisfies Readonly<Record<string, Rule>>;
