/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** Anything that travels on the wire: shown exactly, selected whole by one click, copied by one button. */

import type { ComponentChildren, VNode } from "preact";

/** A text in the words of the protocol. */
export interface WireProps {
  readonly text: string;
}

/** A wire text inside a line or a list; `whole`: in a place of its own, where one long word breaks not just at hyphens. */
export function Wire({ text, whole = false }: WireProps & { readonly whole?: boolean }): VNode {
  return (
    <code class={whole && text.length >= shortest && !text.includes(" ") ? "wire whole" : "wire"}>
      <Breakable text={text} />
    </code>
  );
}

/** Shorter texts fit into any line. */
const shortest = 24;

/** A text that breaks behind its slashes and between its parameters before it breaks anywhere; copied, it is the same. */
export function Breakable({ text }: WireProps): VNode {
  // Replaces control characters, which browsers drop or render invisibly.
  const shown = text.replace(/[^\P{Cc}\t\n\r]/gu, "\uFFFD");
  const pieces = shown.length < shortest ? [shown] : shown.split(/(?<=[^:/]\/|[?&=])(?=[^?&=/])/);
  return <>{pieces.map((piece, i) => i === 0 ? piece : [<wbr key={i} />, piece])}</>;
}

/** What a copy button copies, said to those who do not see what stands beside it. */
export interface CopyProps {
  /** Follows the word "Copy": `the authorization code`. */
  readonly what: string;
}

/** Copies the wire text beside it. Hidden, its place kept, until the script that makes it work shows it. */
export function Copy({ what }: CopyProps): VNode {
  return (
    <button type="button" class="copy" hidden>
      Copy<span class="unseen">{what}</span>
    </button>
  );
}

/** One labelled value. */
export interface ValueProps {
  readonly label: string;
  readonly text: string;
  /** What the copy button says it copies. Default: `the`, and the label in small letters. */
  readonly what?: string;
  /** An aside below the value. */
  readonly children?: ComponentChildren;
}

/** A labelled value in a box of its own; belongs inside `<dl class="values">`. */
export function Value({ label, text, what, children }: ValueProps): VNode {
  return (
    <div>
      <dt>{label}</dt>
      <dd class="box">
        <Wire text={text} />
        <Copy what={what ?? `the ${label.toLowerCase()}`} />
      </dd>
      {children && <dd class="aside">{children}</dd>}
    </div>
  );
}

/** One line of a table of facts. */
export interface FactProps {
  readonly label: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A labelled line without a box; belongs inside a `<dl>`. */
export function Fact({ label, children }: FactProps): VNode {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
