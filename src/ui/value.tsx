/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** Anything that travels on the wire: shown exactly, selected whole by one click, copied by one button. */

import type { ComponentChildren, VNode } from "preact";

/** A text in the words of the protocol. */
export interface CodeProps {
  readonly text: string;
}

/** A wire text inside a line or a list; `whole`: in a place of its own, where one long word breaks not just at hyphens. */
export function Code({ text, whole: block = false }: CodeProps & { readonly whole?: boolean }): VNode {
  return (
    <code class={block && text.length >= minBreakableLength && !text.includes(" ") ? "wire whole" : "wire"}>
      <Breakable text={text} />
    </code>
  );
}

/** Shorter texts fit into any line. */
const minBreakableLength = 24;

/** A text that breaks behind its slashes and between its parameters before it breaks anywhere; copied, it is the same. */
export function Breakable({ text }: CodeProps): VNode {
  // Replaces control characters, which browsers drop or render invisibly.
  const shown = text.replace(/[^\P{Cc}\t\n\r]/gu, "\uFFFD");
  const pieces = shown.length < minBreakableLength ? [shown] : shown.split(/(?<=[^:/]\/|[?&=])(?=[^?&=/])/);
  return <>{pieces.map((piece, i) => i === 0 ? piece : [<wbr key={i} />, piece])}</>;
}

/** What a copy button copies, said to those who do not see what stands beside it. */
export interface CopyButtonProps {
  /** Follows the word "Copy": `the authorization code`. */
  readonly description: string;
}

/** Copies the wire text beside it. Hidden, its place kept, until the script that makes it work shows it. */
export function CopyButton({ description }: CopyButtonProps): VNode {
  return (
    <button type="button" class="copy" hidden>
      Copy<span class="unseen">{description}</span>
    </button>
  );
}

/** One labelled value. */
export interface CopyableValueProps {
  readonly label: string;
  readonly text: string;
  /** What the copy button says it copies. Default: `the`, and the label in small letters. */
  readonly copyDescription?: string;
  /** An aside below the value. */
  readonly children?: ComponentChildren;
}

/** A labelled value in a box of its own; belongs inside `<dl class="values">`. */
export function CopyableValue({ label, text, copyDescription, children }: CopyableValueProps): VNode {
  return (
    <div>
      <dt>{label}</dt>
      <dd class="box">
        <Code text={text} />
        <CopyButton description={copyDescription ?? `the ${label.toLowerCase()}`} />
      </dd>
      {children && <dd class="aside">{children}</dd>}
    </div>
  );
}

/** One line of a table of facts. */
export interface DefinitionItemProps {
  readonly label: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A labelled line without a box; belongs inside a `<dl>`. */
export function DefinitionItem({ label, children }: DefinitionItemProps): VNode {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
