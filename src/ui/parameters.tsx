/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** The parameters of a request or an answer: name, value, and what it is for. */

import type { VNode } from "preact";
import { parameterInWords } from "./parameter_labels.ts";
import { Fact, Wire } from "./value.tsx";

/** Names and values in the order in which they were sent. */
export interface ParametersProps {
  readonly of: readonly (readonly [name: string, value: string])[];
}

/** A table of facts. */
export function Parameters({ of }: ParametersProps): VNode {
  return (
    <dl class="facts">
      {of.map(([name, value]) => (
        <Fact key={name} label={<Wire text={name} />}>
          <Wire text={value} whole />
          <Meaning text={parameterInWords(name)} />
        </Fact>
      ))}
    </dl>
  );
}

/** What a value means, in a line of its own below it; nothing where that is not known. */
export function Meaning({ text }: { readonly text: string | undefined }): VNode | null {
  return text === undefined ? null : <span class="meaning">{text}</span>;
}
