/** The error that rejects a request, and its explanation. */

import { type ErrorCode, type ExtensionErrorCode, statusOf } from "./rule.ts";
import type { RuleId } from "./mod.ts";

/**
 * A rejected request. `message` is for the client: it has no final full stop and never contains request values.
 * `details` is for the trace, and for the user on this server's error page.
 *
 * @example A rejection of an embedding program, which no rule of the table describes
 * ```ts
 * throw new OAuthError("invalid_grant", "the ticket is not valid", { fix: "Send the ticket of today." });
 * ```
 */
export class OAuthError extends Error {
  /** The error code on the wire. */
  readonly code: ErrorCode | ExtensionErrorCode;
  /** The HTTP status of its JSON response. */
  readonly status: number;
  /** The details for the trace. */
  readonly details: ErrorDetails;

  /** Creates an error from a code, a sentence for the client and the details for the trace. Default: no details. */
  constructor(code: ErrorCode | ExtensionErrorCode, message: string, details: ErrorDetails = { fix: "" }) {
    super(message, { cause: details.cause });
    this.name = "OAuthError";
    this.code = code;
    this.status = details.status ?? statusOf(code);
    this.details = details;
  }

  /** The value of `error_description`: the message, in the allowed characters, and the rule. */
  get description(): string {
    return describe(this.message, this.details.rule);
  }

  /**
   * The value of `error_description` on test hosts. If the messages of a code do not reveal the cause, so that an
   * attacker learns nothing, this value is the reason and its rule.
   */
  get openDescription(): string {
    if (!terseCodes.includes(this.code)) return this.description;
    const { rule, reason } = this.explainToUser();
    return describe(reason, rule);
  }

  /** The rejection as a page describes it. */
  explainToUser(): Explanation {
    const { rule, reason = this.message, detailsInTraceOnly } = this.details;
    return rule !== undefined && detailsInTraceOnly ? { rule, reason } : this.explain();
  }

  /** The rejection as an event describes it. */
  explain(): Explanation {
    const { rule, fix, internalRule = rule, reason = this.message, expected, received, earlier, change } = this.details;
    const texts = { reason, expected, received, earlier, ...change && { change } };
    if (internalRule === undefined) return { fix: fix ?? "", ...texts };
    return { rule: internalRule, ...fix !== undefined && { fix }, ...texts };
  }
}

/**
 * @internal The details of an error. The trace receives them; the client receives only the message, and in
 * `error_description` the ID of the rule. `fix` replaces the fix of the rule; an embedding program sets it instead of
 * a rule.
 */
export type ErrorDetails = RuleOrFix & CommonErrorDetails;

/** @internal The details of an error, without its rule. */
export interface CommonErrorDetails extends Partial<ExplanationTexts> {
  /** The HTTP status, such as 429. Default: {@link errorStatus} of the code, or 400. */
  readonly status?: number;
  /** Seconds until the client may try again; sent as `Retry-After`. */
  readonly retryAfter?: number;
  /**
   * `bare`: the challenge names no error, because the request contains no token (RFC 6750 §3.1). `none`: the client
   * named itself in the body, and a library that receives a challenge would not show the error.
   */
  readonly challenge?: "bare" | "none";
  /** The scope that the challenge names, with `insufficient_scope` (RFC 6750 §3.1). */
  readonly scope?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Replaces `expected` on pages that may not list clients, because `expected` contains registered values. Such a page
   * also shows the message instead of the reason.
   */
  readonly publicExpected?: string;
  /**
   * Whether only the trace contains the expected and the received value, the fix and `internalRule`, because they
   * reveal what the server fetched (SSRF). Default: false.
   */
  readonly detailsInTraceOnly?: boolean;
  /** The rule that the trace names, if the response must not reveal it. */
  readonly internalRule?: RuleId;
  /** Whether the user sees the error even where other errors are sent to the redirect URI. Default: false. */
  readonly forUser?: boolean;
  readonly cause?: unknown;
  /**
   * Returns the facts from which the rule makes the texts (`reject.ts`). A function, so that a log of the error shows
   * no secret. Absent if the error already has its texts.
   */
  readonly facts?: () => unknown;
}

/** @internal The full reason of a rejection or warning; the client may receive less. */
export type Explanation = ExplanationTexts & RuleOrFix;

/** @internal The reason of a rejection or warning by a rule of the table. */
export type RuleExplanation = Explanation & { readonly rule: RuleId };

/** @internal The texts of an explanation. */
export interface ExplanationTexts {
  /** One sentence. */
  readonly reason: string;
  readonly expected?: string;
  readonly received?: string;
  /** The earlier request that this one conflicts with, and its time. */
  readonly earlier?: string;
  /** The change of the registered clients that would make the server accept the request; absent if there is none. */
  readonly change?: ClientChange;
}

/** @internal A client to register, or a change of a registered client. */
export interface ClientChange {
  readonly client_id: string;
  /** Whether no client has the ID. */
  readonly isNew: boolean;
  readonly redirect_uri?: string;
  readonly post_logout_redirect_uri?: string;
  readonly scope?: string;
  readonly grant_type?: string;
  readonly token_endpoint_auth_method?: string;
}

/**
 * The broken rule, a row of the rule table, with a fix for this request if it differs from the fix of the rule. A
 * rejection by the embedding program has a fix and no rule.
 *
 * @internal
 */
export type RuleOrFix =
  | { readonly rule: RuleId; readonly fix?: string }
  | { readonly rule?: undefined; readonly fix: string };

/** Codes whose messages, with few exceptions such as that of PK-09, do not reveal the cause. */
const terseCodes: readonly string[] = ["invalid_client", "invalid_grant", "invalid_token", "invalid_scope"];

function describe(text: string, rule: string | undefined): string {
  const sentence = text.replaceAll('"', "'").replace(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, "?");
  return rule === undefined ? sentence : `${sentence} [${rule}]`;
}
