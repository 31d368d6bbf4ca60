/** @jsxImportSource preact */
/** Expected and received value, one below the other, with the difference marked in both and described in words. */

import type { VNode } from "preact";
import { compareTexts } from "./compare_texts.ts";
import type { RuleResult } from "./rule_result.ts";
import { BoxedCode, Breakable, DefinitionItem, WordBreaks } from "./value.tsx";

/** Both values are optional. */
interface ComparisonProps extends Pick<RuleResult, "expected" | "received"> {
  /** The label of `expected`. Default: "Expected". */
  readonly label?: string;
}

/** A text with its differing part marked; an empty mark stands where characters are missing. */
function MarkedText({ text, before, part }: {
  readonly text: string;
  readonly before: string;
  readonly part: string;
}): VNode {
  return (
    <code class="wire">
      <Breakable text={before} />
      <mark>
        <Breakable text={part} />
      </mark>
      <Breakable text={text.slice(before.length + part.length)} />
      <WordBreaks text={text} />
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
          {difference
            ? <MarkedText text={expected} before={difference.before} part={difference.expected} />
            : <BoxedCode text={expected} />}
        </DefinitionItem>
      )}
      {received !== undefined && (
        <DefinitionItem label="Received">
          {difference
            ? <MarkedText text={received} before={difference.before} part={difference.received} />
            : <BoxedCode text={received} />}
        </DefinitionItem>
      )}
      {difference?.words !== undefined && <DefinitionItem label="Difference">{difference.words}</DefinitionItem>}
    </dl>
  );
}
