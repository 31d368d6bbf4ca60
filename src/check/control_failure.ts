/** Why the login without an attack failed: what the client reported, and what the server rejected. */

import type { RuleResult } from "../server/oauth/explanation.ts";
import { findFix, findRule } from "../server/assembly/rules.ts";
import { redactExchanges, redactTextAbout } from "../recorder/redact.ts";
import { completeError } from "./assess.ts";
import type { CheckReport } from "./report.ts";

/** A request that the server rejected during the login without an attack. Secrets are redacted. */
export interface ControlRejection extends Pick<RuleResult, "rule" | "expected" | "received" | "fix"> {
  /** The method and the path. */
  readonly request: string;
  /** The error code. */
  readonly error: string;
  /** Why, one sentence. */
  readonly reason: string;
  /** The earlier request that the request conflicts with. */
  readonly earlier?: string;
  /** The sections of specifications that the rule is from; empty without a rule. */
  readonly sources: readonly string[];
  /** The page of the rule; absent if no server shows it after the check. */
  readonly url?: string;
}

/** The failure of a login without an attack. */
export interface ControlFailure {
  /** How the login ended, and the whole error of the client, on one line. */
  readonly error: string;
  /** What the server rejected, oldest first. */
  readonly rejections: readonly ControlRejection[];
}

/** The failure; `undefined` if the login succeeded. */
export function describeControlFailure(
  { control, rulesUrl }: Pick<CheckReport, "control" | "rulesUrl">,
): ControlFailure | undefined {
  const { passed, outcome, error, exchanges } = control;
  if (passed) return undefined;
  const rejections = redactExchanges(exchanges).flatMap(({ request: { method, path }, rejection }) => {
    if (rejection === undefined) return [];
    const { explanation: { rule, reason, expected, received, earlier }, explanation } = rejection;
    const found = findRule(rule);
    return [{
      ...{ request: `${method} ${path}`, error: rejection.error, rule, reason, expected, received, earlier },
      fix: findFix(explanation),
      sources: found?.cites ?? [],
      url: found && rulesUrl && `${rulesUrl}/${rule}`,
    }];
  });
  // The error may quote a page with a token of the session.
  const text = error === undefined ? "" : `, ${redactTextAbout(completeError(error), exchanges)}`;
  return { error: `${outcome}${text}`, rejections };
}
