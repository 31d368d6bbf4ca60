/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** What was looked at, in the order of looking, each with its verdict and its rule. */

import type { VNode } from "preact";
import { Comparison } from "../comparison.tsx";
import { Verdict } from "../check_item.tsx";
import type { Check } from "./props.ts";
import { Rule } from "./rule.tsx";

/** What was expected and what came instead, and the earlier request it goes back to. */
export function Evidence({ expected, received, earlier }: Pick<Check, "expected" | "received" | "earlier">): VNode {
  return (
    <>
      <Comparison expected={expected} received={received} />
      <Earlier earlier={earlier} />
    </>
  );
}

function Earlier({ earlier }: Pick<Check, "earlier">): VNode | null {
  if (earlier === undefined) return null;
  return (
    <small>
      Earlier: <bdi>{earlier}</bdi>
    </small>
  );
}

/** A list of verdicts. Those that hold are many, and have nothing to compare, so they are drawn with less. */
export function Checks({ checks }: { readonly checks: readonly Check[] }): VNode {
  return (
    <ul class="checks">
      {checks.map((check) =>
        check.holds
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
              <Verdict holds={check.holds} expected={check.expected} received={check.received}>
                <bdi>{check.statement}</bdi>
                <Rule rule={check.rule} cites={check.cites} brief={check.holds !== false} />
                <Earlier earlier={check.earlier} />
              </Verdict>
            </li>
          )
      )}
    </ul>
  );
}

/** What was let pass, but should be mended. */
export function Warnings({ warnings }: { readonly warnings: readonly Check[] }): VNode {
  return (
    <>
      {warnings.map((warning) => (
        <div key={warning.rule + warning.statement} class="notice warn">
          <p>
            <bdi>{warning.statement}</bdi> <Rule rule={warning.rule} cites={warning.cites} />
          </p>
          <Evidence {...warning} />
        </div>
      ))}
    </>
  );
}
