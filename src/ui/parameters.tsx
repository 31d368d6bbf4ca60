/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** The parameters of a request or a response: name, value, purpose. */

import type { VNode } from "preact";
import { parameterLabel } from "./parameter_labels.ts";
import { Code, DefinitionItem } from "./value.tsx";

/** Names and values in the order in which they were sent. */
interface ParametersProps {
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** A table of facts. */
export function Parameters({ fields }: ParametersProps): VNode {
  return (
    <dl class="facts">
      {fields.map(([name, value]) => (
        <DefinitionItem key={name} label={<Code text={name} />}>
          <Code text={value} whole />
          <Hint text={parameterLabel(name)} />
        </DefinitionItem>
      ))}
    </dl>
  );
}

/** A short explanation below a value; nothing if undefined. */
export function Hint({ text }: { readonly text: string | undefined }): VNode | null {
  return text === undefined ? null : <span class="meaning">{text}</span>;
}
