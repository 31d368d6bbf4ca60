/** @jsxImportSource preact */
/** Protocol values: shown exactly, selected by one click, copied by one button. */

import { type ComponentChildren, Fragment, type VNode } from "preact";
import { lowerFirst } from "./first_letter.ts";

/** An inline protocol value; `whole`: one long word may break anywhere. */
export function Code({ text, whole = false }: { readonly text: string; readonly whole?: boolean }): VNode {
  return (
    <code class={whole && !text.includes(" ") && text.length >= minBreakableLength ? "wire whole" : "wire"}>
      <Breakable text={text} />
    </code>
  );
}

/** A protocol value in a box that breaks values anywhere, unless they are several words. */
export function BoxedCode({ text }: { readonly text: string }): VNode {
  return (
    <code class="wire">
      <Breakable text={text} />
      <WordBreaks text={text} />
    </code>
  );
}

/** Ends a value of several words, so that its box breaks it between them. */
export function WordBreaks({ text }: { readonly text: string }): VNode | null {
  return text.includes(" ") && text.length >= minBreakableLength ? <wbr /> : null;
}

/** Protocol values with words between them; `last` stands before the last one. */
export function CodeList({ texts, between, last = between }: {
  readonly texts: readonly string[];
  readonly between: string;
  readonly last?: string;
}): VNode {
  return (
    <>
      {texts.map((text, i) => (
        <Fragment key={text}>
          {i > 0 && (i === texts.length - 1 ? last : between)}
          <Code text={text} />
        </Fragment>
      ))}
    </>
  );
}

/** Shorter texts never break. */
const minBreakableLength = 24;

/** A text that breaks first after slashes and between parameters, without a change of the copied text. */
export function Breakable({ text }: { readonly text: string }): VNode {
  // Replaces control characters, which browsers drop or render invisibly.
  const shown = text.replace(/[^\P{Cc}\t\n\r]/gu, "\uFFFD");
  const pieces = shown.length < minBreakableLength ? [shown] : shown.split(/(?<=[^:/]\/|[?&=])(?=[^?&=/])/);
  return <>{pieces.map((piece, i) => i === 0 ? piece : [<wbr key={i} />, piece])}</>;
}

/**
 * Copies the value beside it. Hidden until the script shows it.
 *
 * @param description For screen readers, after the word "Copy": `the authorization code`.
 */
export function CopyButton({ description }: { readonly description: string }): VNode {
  return (
    <button type="button" class="copy" hidden>
      Copy<span class="unseen">{` ${description}`}</span>
    </button>
  );
}

interface CopyableValueProps {
  readonly label: string;
  readonly text: string;
}

/** A labelled value in a box; belongs inside `<dl class="values">`, with `values.css`. */
export function CopyableValue({ label, text }: CopyableValueProps): VNode {
  return (
    <div>
      <dt>{label}</dt>
      <dd class="box">
        <BoxedCode text={text} />
        <CopyButton description={`the ${lowerFirst(label)}`} />
      </dd>
    </div>
  );
}

/** A labelled line without a box; belongs inside a `<dl>`. */
export function DefinitionItem(
  { label, children }: { readonly label: ComponentChildren; readonly children: ComponentChildren },
): VNode {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A labelled line with a protocol value; nothing if it is undefined. */
export function CodeItem(
  { label, text }: { readonly label: ComponentChildren; readonly text: string | undefined },
): VNode | null {
  return text === undefined ? null : (
    <DefinitionItem label={label}>
      <Code text={text} />
    </DefinitionItem>
  );
}
