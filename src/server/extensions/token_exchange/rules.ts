/** Rules of token exchange (TX), and of ID-JAGs that it issues (IJ). */

import type { OAuthError } from "../../../core/rules/errors.ts";
import { rejectBy } from "../../../core/rules/reject.ts";
import { grantRule, type Rule, rule } from "../../../core/rules/rule.ts";
import type { KeyConfirmation } from "../bound_tokens/mod.ts";
import { invalidDetails } from "../authorization_details/rules.ts";

/** The message of every rejection of a subject token of an ID-JAG. */
export const invalidSubjectToken = "subject_token is invalid, expired, revoked, or another client's";

/** Facts about the scope or the resources of a request that an audience does not allow. */
type DisallowedAtAudience =
  // The scope of the entry: absent if the entry has none.
  | { readonly scopes: readonly string[] | undefined; readonly requested: readonly string[] }
  | {
    readonly resources: readonly string[] | undefined;
    readonly requested: readonly string[];
    /** Maximum number of resources. */
    readonly max: number;
  }
  // The types of authorization details, as they are shown.
  | { readonly types: readonly string[]; readonly requested: readonly string[] };

/** Facts about a client that may not request ID-JAGs for an audience. */
type DisallowedClient =
  // The entry is for another client, or the client is not configured.
  | { readonly client: string; readonly issuer: string; readonly standing?: string }
  // The audience was a client of this server.
  | { readonly removedClient: string; readonly issuer: string };

/** The name of a token in a request. */
type TokenName = "subject_token" | "actor_token";

/** Facts about a request for a token exchange that lacks something, or has a token that is not acceptable. */
type InvalidExchange =
  | { readonly missing: string }
  | { readonly publicClient: string }
  | { readonly subject: "another client" | "a user with the id of this client" }
  | { readonly name: TokenName; readonly type: string }
  // The client that the token was issued to; undefined: the token is not valid.
  | { readonly name: TokenName; readonly issuedTo: string | undefined };

const exchangeMessages = {
  "another client": "subject_token is about another client, not about a user",
  "a user with the id of this client":
    "subject_token is about a user with the id of this client, and only auth_time would distinguish both",
};

/** Facts about a scope, or a resource or audience, that is more than the subject token and the client have. */
type TooMuchAccess =
  | {
    /** The scope that both have. */
    readonly allowed: readonly string[];
    /** The scope that the client has. */
    readonly grantable: readonly string[];
    readonly requested: string | undefined;
    readonly granted: string | undefined;
  }
  | { readonly targets: readonly string[]; readonly requested: readonly string[] };

/** Facts about a token that only another actor, or only the holder of another key, may exchange. */
type OtherActor =
  | { readonly name: TokenName; readonly cnf: unknown; readonly proven: KeyConfirmation | undefined }
  | { readonly mayAct: unknown; readonly sub: unknown; readonly clientId: string };

/** By ID, in the order of `tests/rules.md`. */
export const tokenExchangeRules = {
  "IJ-01": rule<
    { readonly missing: "audience" | "resource" } | { readonly isRepeated: true } | { readonly audience: string }
  >(
    (facts) => "audience" in facts ? "invalid_target" : "invalid_request",
    (facts) =>
      "missing" in facts
        ? `${facts.missing} is missing`
        : "audience" in facts
        ? "audience is not a resource authorization server of this server"
        : "audience was sent more than once",
  ),
  "IJ-02": rule<{ readonly supported: readonly string[]; readonly sent: string }>(
    "invalid_request",
    "subject_token_type is not supported for an ID-JAG",
  ),
  // All rejections of a subject token look the same to the client; the trace contains the reason.
  "IJ-03": rule<{ readonly idTokenOf: string } | { readonly broken: OAuthError | undefined }>(
    "invalid_request",
    invalidSubjectToken,
  ),
  "IJ-04": grantRule<{ readonly broken: OAuthError } | { readonly isUsed: true }>(),
  "IJ-05": rule<DisallowedAtAudience>(
    (facts) => "scopes" in facts ? "invalid_scope" : "types" in facts ? invalidDetails : "invalid_target",
    (facts) =>
      "scopes" in facts
        ? "no requested scope value is allowed at this audience"
        : "types" in facts
        ? "no requested type is allowed at this audience"
        : "no requested resource is allowed at this audience",
  ),
  "IJ-08": rule<DisallowedClient>(
    "invalid_target",
    (facts) =>
      "client" in facts
        ? "this client may not request ID-JAGs for this audience"
        : "the audience is no longer a client of this server",
  ),
  "IJ-09": rule<{ readonly client: string }>("unauthorized_client", "only a confidential client may request an ID-JAG"),
  "IJ-11": rule("invalid_request", "actor_token is not supported for an ID-JAG", "RFC 8693 §2.1"),
  "TX-01": rule<InvalidExchange>(
    (facts) => "publicClient" in facts ? "unauthorized_client" : "invalid_request",
    (facts) =>
      "missing" in facts
        ? `${facts.missing} is missing`
        : "publicClient" in facts
        ? "only a confidential client may exchange tokens"
        : "subject" in facts
        ? exchangeMessages[facts.subject]
        : "type" in facts
        ? `${facts.name}_type is not supported`
        : `${facts.name} is unknown, expired, revoked, or not acceptable from this client`,
    "RFC 8693 §2.1, §2.2.2",
  ),
  "TX-02": rule<{ readonly supported: readonly string[]; readonly requested: string }>(
    "invalid_request",
    "requested_token_type is not supported",
    "RFC 8693 §2.2.1",
  ),
  "TX-03": rule<TooMuchAccess>(
    (facts) => "allowed" in facts ? "invalid_scope" : "invalid_target",
    (facts) =>
      "allowed" in facts
        ? "scope is more than subject_token and this client have"
        : "resource or audience is not allowed for subject_token or this client",
    "RFC 8693 §2.2.2, §5",
  ),
  "TX-04": rule<OtherActor>(
    "invalid_request",
    (facts) =>
      "name" in facts
        ? `${facts.name} is bound to a key that the request does not prove`
        : "may_act of subject_token names another actor",
    "RFC 8693 §4.1, §4.4",
  ),
  "TX-05": rule<{ readonly exchanges: number; readonly max: number }>(
    "invalid_request",
    "subject_token is the result of too many exchanges",
    "RFC 9700 §2.2.2",
  ),
} as const satisfies Readonly<Record<string, Rule>>;

/** Creates the error of a rule of token exchange. */
export const reject = rejectBy(tokenExchangeRules);
