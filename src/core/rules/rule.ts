/** The types of the rows of the rule table, and the error codes with their status (OAuth 2.1 §3.2.4, §4.1.2.1). */

/** @internal The ID of a rule, such as `HT-01`. `deno task rules` checks that each one in the code exists. */
export type RuleId = `${string}-${number}`;

/** A rule: a row of the rule table. Its texts are in `server/explain/`. */
export interface Rule {
  /** The specifications that the rule is taken from, such as `RFC 9700 §4.1.3; RFC 8252 §7.3`; empty for none. */
  readonly source: string;
}

type Code = ErrorCode | ExtensionErrorCode;

/** A rule that rejects requests, and what the client receives. */
export interface RejectionRule<Facts> extends Rule {
  readonly code: Code | ((facts: Facts) => Code);
  /** A sentence for the client, without a full stop and without values of the request. */
  readonly message: string | ((facts: Facts) => string);
  /** Never set. It only has the type of the facts. */
  readonly facts?: Facts;
}

/**
 * A rule about something that was granted before, such as a code. Its errors have the code and the message of the grant
 * type, so that guessing codes or tokens reveals nothing: see `invalidGrantBy()`.
 */
export interface GrantRule<Facts> extends Rule {
  readonly isAboutGrant: true;
  /** Never set. It only has the type of the facts. */
  readonly facts?: Facts;
}

/** Creates the row of a {@link GrantRule}. Its texts are made from the `Facts`, by default from none. */
export function grantRule<Facts = undefined>(source = ""): GrantRule<Facts> {
  return { source, isAboutGrant: true };
}

/** Creates the row of a {@link RejectionRule}. Its texts are made from the `Facts`, by default from none. */
export function rule<Facts = undefined>(
  code: RejectionRule<Facts>["code"],
  message: RejectionRule<Facts>["message"],
  source = "",
): RejectionRule<Facts> {
  return { code, message, source };
}

/** The fact that a value of the policy rejects the request. */
export interface ByPolicy {
  /** The `Policy` of the server or of the client. */
  readonly policy: { readonly responseTypes: readonly string[]; readonly clientAuthMethods: readonly string[] };
}

/** The error codes, each with the HTTP status of its JSON response. */
export const errorStatus = {
  // OAuth 2.1 §3.2.4
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  invalid_scope: 400,
  // OAuth 2.1 §4.1.2.1
  unsupported_response_type: 400,
  access_denied: 400,
  server_error: 500,
  temporarily_unavailable: 503,
  // RFC 8707 §2
  invalid_target: 400,
  // RFC 6750 §3.1
  invalid_token: 401,
  insufficient_scope: 403,
  // RFC 9470 §3
  insufficient_user_authentication: 401,
  // OpenID Connect Core §3.1.2.6
  login_required: 400,
  consent_required: 400,
  interaction_required: 400,
  account_selection_required: 400,
  request_not_supported: 400,
  request_uri_not_supported: 400,
  invalid_request_uri: 400,
  // OpenID Connect Unmet Authentication Requirements §2
  unmet_authentication_requirements: 400,
  // RFC 7591 §3.2.2
  invalid_client_metadata: 400,
} as const satisfies Readonly<Record<string, number>>;

/** An error code of every server. */
export type ErrorCode = keyof typeof errorStatus;

/**
 * @internal An error code that an extension or a program defines: `"slow_down" as ExtensionErrorCode`. Its status is
 * 400.
 */
export type ExtensionErrorCode = string & { readonly isErrorCode: true };

/** The HTTP status of a code, unless the details of the error name another one. */
export function statusOf(code: string): number {
  return Object.hasOwn(errorStatus, code) ? errorStatus[code as ErrorCode] : 400;
}
