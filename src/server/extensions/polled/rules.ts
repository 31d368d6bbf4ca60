/** The rules of polls and decisions, which devices (RFC 8628) and backchannel authentication (CIBA) share. */

import { rejectBy } from "../../../core/rules/reject.ts";
import { type ExtensionErrorCode, type Rule, rule } from "../../../core/rules/rule.ts";
import type { PolledGrant } from "./polled_grant.ts";

/** RFC 8628 §3.5. */
const authorizationPending = "authorization_pending" as ExtensionErrorCode;
const slowDown = "slow_down" as ExtensionErrorCode;
const expiredToken = "expired_token" as ExtensionErrorCode;

/** The names of a request in messages. */
type Names = Pick<PolledGrant, "parameter" | "codeName" | "requestName" | "decidedAt">;

/** A code that cannot be exchanged, or not yet. Times are in milliseconds since the epoch. */
export type UnusableCode =
  & { readonly names: Names }
  & (
    | { readonly problem: "missing" | "pending" | "denied" | "unknown" }
    | { readonly problem: "expired"; readonly validUntil: number; readonly now: number }
    | { readonly problem: "used"; readonly consumedAt: number }
  );

/** A poll that came too early. Times are in milliseconds since the epoch. */
export interface EarlyPoll {
  readonly notBefore: number;
  readonly now: number;
  /** The interval between further polls, in seconds. */
  readonly nextInterval: number;
}

/** A client that may not start requests, or that has not started this one. */
export type WrongPollClient =
  | { readonly problem: "public"; readonly clientId: string }
  | {
    readonly problem: "grant type";
    readonly requestName: string;
    readonly clientId: string;
    /** The grant type that it needs. */
    readonly type: string;
    readonly grantTypes: readonly string[];
  }
  | { readonly problem: "other"; readonly codeName: string; readonly issuedTo: string; readonly clientId: string }
  | { readonly problem: "removed"; readonly clientId: string };

/** A request that waits for no decision: the name of the request, or absent if it is unknown. */
export interface DecidedRequest {
  readonly requestName?: string;
}

const code = rule<UnusableCode>(
  ({ problem }) =>
    problem === "missing"
      ? "invalid_request"
      : problem === "expired"
      ? expiredToken
      : problem === "denied"
      ? "access_denied"
      : authorizationPending,
  ({ problem, names: { parameter } }) =>
    problem === "missing"
      ? `${parameter} is missing`
      : problem === "expired"
      ? `${parameter} has expired`
      : problem === "denied"
      ? "the user denied the request"
      : "the user has not decided yet",
);

const pace = rule<EarlyPoll>(
  slowDown,
  ({ nextInterval }) => `the client must wait ${nextInterval} seconds between two polls`,
);

const client = rule<WrongPollClient>(
  "unauthorized_client",
  (facts) =>
    facts.problem === "grant type"
      ? `this client is not registered for ${facts.requestName}`
      : "only a client that authenticates may use backchannel authentication",
);

const decided = rule<DecidedRequest>(
  "invalid_request",
  ({ requestName }) =>
    requestName === undefined
      ? "this request is unknown, already decided, or expired"
      : `the ${requestName} was already decided or has expired`,
);

/** By ID, in the order of `tests/rules.md`. */
export const polledRules = {
  "DV-03": { ...code, source: "RFC 8628 §3.5" },
  "DV-04": { ...pace, source: "RFC 8628 §3.5" },
  "DV-05": { ...client, source: "RFC 8628 §3.4" },
  "DV-07": { ...decided, source: "RFC 8628 §3.3; OAuth 2.1 §7.11; RFC 10027 §6.1.3" },
  "CB-03": { ...code, source: "OpenID Connect CIBA §7.3, §10.1, §11" },
  "CB-04": { ...pace, source: "OpenID Connect CIBA §7.3, §11" },
  "CB-05": { ...client, source: "OpenID Connect CIBA §4, §10.1" },
  "CB-07": { ...decided, source: "OpenID Connect CIBA §8" },
} as const satisfies Readonly<Record<string, Rule>>;

/** Creates the error of a rule of polls and decisions. */
export const reject = rejectBy(polledRules);
