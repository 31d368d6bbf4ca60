/** @jsxImportSource preact */
/** Expected and received value, one below the other, with the first difference marked. */

import type { VNode } from "preact";
import type { RuleResult } from "./rule_result.ts";
import { BoxedCode, Breakable, DefinitionItem, WordBreaks } from "./value.tsx";

/** Both values are optional. */
interface ComparisonProps extends Pick<RuleResult, "expected" | "received"> {
  /** The label of `expected`. Default: "Expected". */
  readonly label?: string;
}

/** Index of the first difference in `received`; undefined if less than half of it is equal. */
function firstDifference(expected: string, received: string): number | undefined {
  let length = 0;
  // Whole characters, so that no surrogate pair is split.
  for (const character of received) {
    if (!expected.startsWith(character, length)) break;
    length += character.length;
  }
  return length < received.length && length * 2 >= received.length ? length : undefined;
}

function ReceivedText({ text, from }: { readonly text: string; readonly from: number | undefined }): VNode {
  if (from === undefined) return <BoxedCode text={text} />;
  return (
    <code class="wire">
      <Breakable text={text.slice(0, from)} />
      <mark>
        <Breakable text={text.slice(from)} />
      </mark>
      <WordBreaks text={text} />
    </code>
  );
}

/** Renders nothing without values. */
export function Comparison({ expected, received, label = "Expected" }: ComparisonProps): VNode | null {
  if (expected === undefined && received === undefined) return null;
  return (
    <dl class="comparison">
      {expected !== undefined && (
        <DefinitionItem label={label}>
          <BoxedCode text={expected} />
        </DefinitionItem>
      )}
      {received !== undefined && (
        <DefinitionItem label="Received">
          <ReceivedText text={received} from={firstDifference(expected ?? "", received)} />
        </DefinitionItem>
      )}
    </dl>
  );
}
