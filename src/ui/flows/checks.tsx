/** @jsxImportSource preact */
/** The checks of an exchange in order, each with its result and its rule. */

import type { VNode } from "preact";
import { Comparison } from "../comparison.tsx";
import { CheckItem } from "../check_item.tsx";
import { Rule } from "./parts.tsx";
import type { RuleCheckResult } from "./props.ts";

/** Expected and received value, and the earlier request that this one conflicts with. */
export function ExpectedVsReceived(
  { expected, received, earlier }: Pick<RuleCheckResult, "expected" | "received" | "earlier">,
): VNode {
  return (
    <>
      <Comparison expected={expected} received={received} />
      <EarlierRequest earlier={earlier} />
    </>
  );
}

function EarlierRequest({ earlier }: Pick<RuleCheckResult, "earlier">): VNode | null {
  if (earlier === undefined) return null;
  return (
    <small>
      Earlier: <bdi>{earlier}</bdi>
    </small>
  );
}

/** The list of checks. Passed checks have nothing to compare, so they take one line each. */
export function Checks({ checks }: { readonly checks: readonly RuleCheckResult[] }): VNode {
  return (
    <ul class="checks">
      {checks.map((check) =>
        check.passed
          ? (
            <li key={check.rule}>
              <b>✓</b>
              {check.statement}
              {check.value !== undefined && (
                <>
                  : <code>{check.value}</code>
                </>
              )}
              <Rule rule={check.rule} cites={check.cites} brief />
            </li>
          )
          : (
            <li key={check.rule}>
              <CheckItem passed={check.passed} expected={check.expected} received={check.received}>
                <bdi>{check.statement}</bdi>
                <Rule rule={check.rule} cites={check.cites} brief={check.passed !== false} />
                <EarlierRequest earlier={check.earlier} />
              </CheckItem>
            </li>
          )
      )}
    </ul>
  );
}

/** Warnings: accepted, but should be fixed. */
export function Warnings({ warnings }: { readonly warnings: readonly RuleCheckResult[] }): VNode {
  return (
    <>
      {warnings.map((warning) => (
        <div key={`${warning.rule} ${warning.statement}`} class="notice warn">
          <p>
            <bdi>{warning.statement}</bdi> <Rule rule={warning.rule} cites={warning.cites} />
          </p>
          <ExpectedVsReceived {...warning} />
          {warning.fix !== undefined && (
            <p>
              <strong>How to fix it:</strong> {warning.fix}
            </p>
          )}
        </div>
      ))}
    </>
  );
}
