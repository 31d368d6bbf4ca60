/** @jsxImportSource preact */
/** The checks of an exchange in order, each with its result and its rule. */

import type { VNode } from "preact";
import { CheckItem } from "../../../server/pages/check_item.tsx";
import { Fix } from "../../../server/pages/fix.tsx";
import { EarlierRequest, Rejection } from "../../../server/pages/rejection.tsx";
import { citedSections } from "../../../server/pages/specifications.ts";
import { RuleReference } from "./parts.tsx";
import type { RuleCheckResult } from "./props.ts";

/** The list of checks. Only a failed check has something to compare, a fix, and links to its rule and the sections. */
export function RuleChecks({ checks, inLines = false }: {
  readonly checks: readonly RuleCheckResult[];
  /** Whether a failed check takes one line, because the page has its values and its fix elsewhere. Default: false. */
  readonly inLines?: boolean;
}): VNode {
  return (
    <ul class="checks">
      {checks.map((check) =>
        check.passed === false && inLines
          ? (
            <li key={check.rule}>
              <b class="bad" role="img" aria-label="Failed">✗</b>
              <bdi>{check.statement}</bdi>
              <RuleReference rule={check.rule} cites={check.cites} />
            </li>
          )
          : check.passed === false
          ? (
            <li key={check.rule}>
              <CheckItem passed={false} expected={check.expected} received={check.received}>
                <bdi>{check.statement}</bdi>
                <RuleReference rule={check.rule} cites={check.cites} />
                <EarlierRequest earlier={check.earlier} />
              </CheckItem>
              <Fix fix={check.fix} />
            </li>
          )
          : (
            <li key={check.rule} class={check.passed ? undefined : "open"}>
              {check.passed ? <b>✓</b> : <b role="img" aria-label="Not checked">–</b>}
              {check.statement}
              {check.value !== undefined && (
                <>
                  : <code>{check.value}</code>
                </>
              )}
              <small>
                {check.rule} {citedSections(check.cites)[0]?.title}
              </small>
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
            <bdi>{warning.statement}</bdi> <RuleReference rule={warning.rule} cites={warning.cites} />
          </p>
          <Rejection reason={warning.statement} {...warning} />
        </div>
      ))}
    </>
  );
}
