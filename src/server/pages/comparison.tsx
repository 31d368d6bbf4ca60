/** @jsxImportSource preact */
/** Expected and received value, one below the other, with the differences marked in both and described in words. */

import type { VNode } from "preact";
import { type ComparedPart, compareTexts } from "./compare_texts.ts";
import type { RuleResult } from "./rule_result.ts";
import { BoxedCode, Breakable, DefinitionItem, WordBreaks } from "./value.tsx";

/** Both values are optional. */
interface ComparisonProps extends Pick<RuleResult, "expected" | "received"> {
  /** The label of `expected`. Default: "Expected". */
  readonly label?: string;
}

/** A text with its differing parts marked; an empty mark stands where characters are missing. */
function MarkedText({ side, parts }: {
  readonly side: keyof ComparedPart;
  readonly parts: readonly ComparedPart[];
}): VNode {
  return (
    <code class="wire">
      {parts.map((part, i) => {
        const text = <Breakable key={i} text={part[side]} />;
        return part.expected === part.received ? text : <mark key={i}>{text}</mark>;
      })}
      <WordBreaks text={parts.map((part) => part[side]).join("")} />
    </code>
  );
}

/** Renders nothing without values. */
export function Comparison({ expected, received, label = "Expected" }: ComparisonProps): VNode | null {
  if (expected === undefined && received === undefined) return null;
  const difference = expected === undefined || received === undefined ? undefined : compareTexts(expected, received);
  return (
    <dl class="comparison">
      {expected !== undefined && (
        <DefinitionItem label={label}>
          {difference ? <MarkedText side="expected" parts={difference.parts} /> : <BoxedCode text={expected} />}
        </DefinitionItem>
      )}
      {received !== undefined && (
        <DefinitionItem label="Received">
          {difference ? <MarkedText side="received" parts={difference.parts} /> : <BoxedCode text={received} />}
        </DefinitionItem>
      )}
      {difference?.words !== undefined && <DefinitionItem label="Difference">{difference.words}</DefinitionItem>}
    </dl>
  );
}
