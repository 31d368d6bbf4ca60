/** The records of the recorder: an exchange is one request and its response, a flow the exchanges of one login. */

import type { Fields } from "../core/http/form.ts";
import type { RuleId } from "../core/rules/mod.ts";
import type { TraceEvent } from "../server/trace.ts";
import type { Explanation } from "../core/rules/errors.ts";
import type { Caller } from "../core/http/endpoint.ts";
import type { ClientAuthMethod } from "../server/config/client_metadata.ts";

/** A request as received, secrets included. Redact it before you show it. */
export interface RecordedRequest {
  /** The method, in upper case. */
  readonly method: string;
  /** The path, without the query. */
  readonly path: string;
  /** The headers that an authorization server reads, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded parameters of the query; empty if it cannot be decoded. */
  readonly query: Fields;
  /** The decoded fields of a form; empty for other bodies. */
  readonly form: Fields;
  /** The body as text, cut after `maxCapturedBodyBytes`. */
  readonly body?: string;
}

/** A response as sent. */
export interface RecordedResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The headers by lower-case name; repeated headers are separated by line breaks. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text, cut after `maxCapturedBodyBytes`; absent if it is empty or not text. */
  readonly body?: string;
  /**
   * The response that the browser forwards to the client, by redirect or form post; `uri` without query. If it is
   * signed, `params` has the JWT as `response`, followed by the parameters inside it, which are not verified.
   */
  readonly authorizationResponse?: { readonly uri: string; readonly params: Fields };
  /** Whether it is a page with a form of hidden fields. */
  readonly hasForm?: boolean;
}

/** @internal */
export interface PassedCheck {
  /** The ID of the rule. */
  readonly rule: RuleId;
  /** The checked value; never a secret. */
  readonly value?: string;
}

/** @internal How an exchange ended. */
export type Outcome =
  /** Not ended yet. */
  | "pending"
  /** Successful: tokens, claims, a code for the client, a document; or the 405 of an MCP server that has no stream. */
  | "done"
  /** A page waits for the user. */
  | "interaction"
  /** A request to a protected resource without an access token: the response says where to get one. */
  | "challenged"
  /** A browser opened a URL that has no page: unknown, disabled, or for programs only. */
  | "missing"
  /** Rejected by a rule or a fault. */
  | "rejected"
  /** No response: the connection was dropped, or the server failed. */
  | "dropped";

/** One request and its response. Times are milliseconds since the epoch, by the server's clock. */
export interface Exchange {
  /** Counts from 1, in the order of the requests. */
  readonly number: number;
  /** When the request arrived. */
  readonly at: number;
  /** When the response was sent; absent while the exchange is pending. */
  readonly respondedAt?: number;
  /**
   * The number of the newest exchange when the response was sent. This exchange overlaps the later ones up to that
   * number. Absent while the exchange is pending.
   */
  readonly newestAtResponse?: number;
  /** The name of the endpoint, such as `token`; {@link unknownEndpoint} if no route matches the path. */
  readonly endpoint: string;
  /** The origin of a hosted resource that is not on that of the server; the path begins with `//` and the host. */
  readonly origin?: string;
  /** The title on pages, such as `Code exchange`. */
  readonly title: string;
  /** The label of a success on pages, such as `revoked`. */
  readonly doneLabel?: string;
  /** The kind of caller, by the description of the endpoint. */
  readonly caller: Caller;
  /** The request. */
  readonly request: RecordedRequest;
  /** The response; absent while the exchange is pending, and after a dropped connection. */
  readonly response?: RecordedResponse;
  /** How it ended. */
  readonly outcome: Outcome;
  /** The client that the request names or that authenticated. */
  readonly client?: string;
  /** The authentication method of the client, at endpoints for clients. */
  readonly auth?: ClientAuthMethod;
  /** The passed checks, in the order in which they ran. */
  readonly passed: readonly PassedCheck[];
  /** The rejection by a rule; absent if no rule rejected the request, even if a fault did. */
  readonly rejection?: { readonly error: string; readonly explanation: Explanation };
  /** Warnings: accepted, but should be fixed. */
  readonly warnings: readonly Explanation[];
  /** The events that the server traced for this request. */
  readonly events: readonly TraceEvent[];
  /** The names of the faults that changed the exchange. */
  readonly faults: readonly string[];
  /**
   * The ID of the flow. Absent before the request is assigned to a flow, and for requests outside of logins, such as
   * metadata, keys, plain pages and missing ones.
   */
  readonly flow?: string;
}

/** The exchanges of one login, from the authorization request to the last use of its tokens. */
export interface Flow {
  /** Counts from 1, as text. An ID is never reused, not even after {@link Recorder.clear}. */
  readonly id: string;
  /** When its first request arrived. */
  readonly startedAt: number;
  /** The client of the flow. */
  readonly client?: string;
  /** The subject of the user who logged in. */
  readonly sub?: string;
  /** The grant of the issued codes and tokens. */
  readonly grantId?: string;
  /** The outcome of the last exchange; `pending` while its code is not exchanged. */
  readonly outcome: Outcome;
  /** The exchanges, oldest first. */
  readonly exchanges: readonly Exchange[];
}

/** The name of the endpoint if no route matches the path. */
export const unknownEndpoint = "unknown";

/**
 * The URL of a request, without the query, on the origin of the server. A hosted resource on another origin has its
 * host in its path; any other path that begins with two slashes is what a client sent, and must not name a host.
 *
 * @param serverOrigin The origin of the server.
 */
export function exchangeUrl(
  { origin, request: { path } }: Pick<Exchange, "origin" | "request">,
  serverOrigin: string,
): string {
  return origin === undefined ? serverOrigin + path : new URL(origin).protocol + path;
}
