/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** What was expected and what came instead, one under the other, the first difference marked. */

import type { VNode } from "preact";
import { Breakable, Fact, Wire } from "./value.tsx";

/** Either side may be missing. */
export interface ComparisonProps {
  readonly expected?: string;
  readonly received?: string;
  /** What was probably meant: `received` is held against it, where `expected` is something else. */
  readonly near?: string;
}

/** Where `received` stops being like `expected`; undefined where less than half of it is alike, and nothing lines up. */
function firstDifference(expected: string, received: string): number | undefined {
  let length = 0;
  // By whole characters, so that none is cut in two.
  for (const character of received) {
    if (!expected.startsWith(character, length)) break;
    length += character.length;
  }
  return length < received.length && length * 2 >= received.length ? length : undefined;
}

function Received({ text, from }: { readonly text: string; readonly from: number | undefined }): VNode {
  if (from === undefined) return <Wire text={text} />;
  return (
    <code class="wire">
      <Breakable text={text.slice(0, from)} />
      <mark>
        <Breakable text={text.slice(from)} />
      </mark>
    </code>
  );
}

/** Draws nothing where both sides are missing. */
export function Comparison({ expected, received, near = expected }: ComparisonProps): VNode | null {
  if (expected === undefined && received === undefined) return null;
  return (
    <dl class="comparison">
      {expected !== undefined && (
        <Fact label="Expected">
          <Wire text={expected} />
        </Fact>
      )}
      {near !== expected && (
        <Fact label="Did you mean">
          <Wire text={near!} />
        </Fact>
      )}
      {received !== undefined && (
        <Fact label="Received">
          <Received text={received} from={firstDifference(near ?? "", received)} />
        </Fact>
      )}
    </dl>
  );
}
