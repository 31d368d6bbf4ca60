/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** What was expected and what came instead, one under the other, the first difference marked. */

import type { VNode } from "preact";

/** Either side may be missing. */
export interface ComparisonProps {
  readonly expected?: string;
  readonly received?: string;
}

/** Two values beginning at less than this many equal characters are simply different. */
const alike = 4;

/** How many leading characters two texts share, never splitting a character in two. */
function sharedLength(a: string, b: string): number {
  let length = 0;
  for (const character of a) {
    if (!b.startsWith(character, length)) break;
    length += character.length;
  }
  return length;
}

function side(text: string, from: number): VNode {
  return (
    <code class="wire">
      {text.slice(0, from)}
      {from < text.length && <mark>{text.slice(from)}</mark>}
    </code>
  );
}

/** Draws nothing where both sides are missing. */
export function Comparison({ expected, received }: ComparisonProps): VNode | null {
  if (expected === undefined && received === undefined) return null;
  const shared = sharedLength(expected ?? "", received ?? "");
  const from = shared < alike ? Infinity : shared;
  return (
    <dl class="comparison">
      {expected !== undefined && (
        <div>
          <dt>Expected</dt>
          <dd>{side(expected, from)}</dd>
        </div>
      )}
      {received !== undefined && (
        <div class="received">
          <dt>Received</dt>
          <dd>{side(received, from)}</dd>
        </div>
      )}
    </dl>
  );
}
