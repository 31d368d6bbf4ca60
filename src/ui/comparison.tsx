/** @jsxImportSource preact */
/** Expected and received value, one below the other, with the first difference marked. */

import type { VNode } from "preact";
import { Breakable, Code, CodeItem, DefinitionItem } from "./value.tsx";

/** Both values are optional. */
interface ComparisonProps {
  readonly expected?: string;
  readonly received?: string;
  /** The value that was probably meant: `received` is compared with it instead of `expected`. */
  readonly suggestion?: string;
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
  if (from === undefined) return <Code text={text} />;
  return (
    <code class="wire">
      <Breakable text={text.slice(0, from)} />
      <mark>
        <Breakable text={text.slice(from)} />
      </mark>
    </code>
  );
}

/** Renders nothing without values. */
export function Comparison({ expected, received, suggestion = expected }: ComparisonProps): VNode | null {
  if (expected === undefined && received === undefined) return null;
  return (
    <dl class="comparison">
      <CodeItem label="Expected" text={expected} />
      {suggestion !== expected && <CodeItem label="Did you mean" text={suggestion!} />}
      {received !== undefined && (
        <DefinitionItem label="Received">
          <ReceivedText text={received} from={firstDifference(suggestion ?? "", received)} />
        </DefinitionItem>
      )}
    </dl>
  );
}
