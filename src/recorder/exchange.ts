/** What is remembered of a request and its answer: one exchange, and the flow it is a step of. */

import type { Fields } from "../http/form.ts";
import type { ClientAuthMethod } from "../oauth/clients/client.ts";
import type { PassedRuleId } from "../oauth/rules/mod.ts";
import type { Explanation, TraceEvent } from "../oauth/trace.ts";
import type { Caller } from "../app/endpoint.ts";

/** A request as it came. Values are whole, secrets included: whoever shows them masks them first. */
export interface RecordedRequest {
  /** In capitals. */
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The headers that mean something to an authorization server, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parameters of the query, decoded; empty where it cannot be decoded. */
  readonly query: Fields;
  /** The fields of the body, where it is a form that can be decoded. */
  readonly form: Fields;
  /** The body as text, at most {@link maxRecordedBodyChars} characters of it. */
  readonly body?: string;
}

/** An answer as it went out. */
export interface RecordedResponse {
  /** The HTTP status. */
  readonly status: number;
  /** By lower-case name; several of one name in lines of their own. */
  readonly headers: Readonly<Record<string, string>>;
  /** As text, at most {@link maxRecordedBodyChars} characters of it; absent where there was none, or it was no text. */
  readonly body?: string;
  /** What is sent on to the client through the browser, by redirect or by a form that posts itself; `uri` without query. */
  readonly authorizationResponse?: { readonly uri: string; readonly params: Fields };
}

/** A rule that was looked at and held. */
export interface PassedCheck {
  /** The ID of the rule, whose sentence is in the table of rules. */
  readonly rule: PassedRuleId;
  /** What it was judged by; never a secret. */
  readonly value?: string;
}

/** How an exchange ended. */
export type Outcome =
  /** Not yet. */
  | "pending"
  /** With what was asked for: tokens, claims, a code on its way to the client, a document. */
  | "done"
  /** With a page that asks the person something. */
  | "interaction"
  /** With a refusal. */
  | "rejected"
  /** Without an answer: the connection was dropped, or the server failed. */
  | "dropped";

/** One request and its answer. Times in milliseconds since the epoch, by the server's clock. */
export interface Exchange {
  /** Counts from 1, in the order in which requests came. */
  readonly number: number;
  /** When it came. */
  readonly at: number;
  /** When it was answered; absent while it is under way. */
  readonly respondedAt?: number;
  /** The name of the endpoint, such as `token`; {@link unknownEndpoint} where no route matches the path. */
  readonly endpoint: string;
  /** What pages call it, such as `Token request`. */
  readonly title: string;
  /** What pages call it when it succeeds, such as `revoked`. */
  readonly doneLabel?: string;
  /** Who sent it, by the description of the endpoint. */
  readonly caller: Caller;
  /** What was asked. */
  readonly request: RecordedRequest;
  /** What was answered; absent while it is under way, and where the answer was lost. */
  readonly response?: RecordedResponse;
  /** How it ended. */
  readonly outcome: Outcome;
  /** The client that the request names or that authenticated. */
  readonly client?: string;
  /** How the client said who it is, at endpoints for clients. */
  readonly auth?: ClientAuthMethod;
  /** What held, in the order of looking. */
  readonly passed: readonly PassedCheck[];
  /** The rule that did not hold; absent where no rule refused anything, although a fault may have said no. */
  readonly rejection?: { readonly error: string; readonly explanation: Explanation };
  /** What was let pass, but should be mended. */
  readonly warnings: readonly Explanation[];
  /** Everything the server traced while it answered. */
  readonly events: readonly TraceEvent[];
  /** The names of the faults that had a hand in it. */
  readonly faults: readonly string[];
  /**
   * The flow it belongs to; absent while that cannot be told yet, and for what belongs to no login: metadata, keys, plain
   * pages, questions about headers.
   */
  readonly flow?: string;
}

/** The exchanges of one login, from the authorization request to whatever its tokens were used for. */
export interface Flow {
  /** Counts from 1, as text; never given to another flow, not even after {@link Recorder.clear}. */
  readonly id: string;
  /** When its first request came. */
  readonly startedAt: number;
  /** The client it is for. */
  readonly client?: string;
  /** Who logged in. */
  readonly sub?: string;
  /** The family of what was issued; see `ended_family`. */
  readonly grantId?: string;
  /** That of its last exchange; but while a code waits to be redeemed, the flow is under way. */
  readonly outcome: Outcome;
  /** In order. */
  readonly exchanges: readonly Exchange[];
}

/** The name in place of an endpoint's where no route matches the path. */
export const unknownEndpoint = "unknown";

/** The maximum length of a recorded body, in characters. */
export const maxRecordedBodyChars = 64 * 1024;
