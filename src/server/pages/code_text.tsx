/** @jsxImportSource preact */
/** Code with its strings, comments and keywords in colour; one pattern fits all languages of the settings. */

import type { VNode } from "preact";

/** A comment begins a line or follows a space: in a URL and in an expansion of a shell the same characters do not. */
const tokenPattern = new RegExp(
  [
    /(?<string>"(?:[^"\\\n]|\\.){0,2000}"|'(?:[^'\\\n]|\\.){0,2000}')/,
    /(?<comment>\/\*\*?[^]{0,2000}?\*\/|(?<=^|\s)(?:\/\/|#(?![A-Z]))[^\n]*)/,
    /(?<keyword>(?<![\w$.-])(?:async|await|const|export|from|function|func|import|let|new|package|return|var)(?![\w$:=-]))/,
  ].map(({ source }) => source).join("|"),
  "gm",
);

/**
 * Indents and options stay on the line of a long value that follows them: the value breaks, not the space before it.
 */
const keptPattern = /^ +(?:-\w )?\S(?=\S{23})/gm;

/** A part of the text: `start` inclusive, `end` exclusive. */
interface Range {
  readonly start: number;
  readonly end: number;
  readonly kind?: string;
}

export function CodeText({ text }: { readonly text: string }): VNode {
  const tokens = findRanges(text, tokenPattern, ({ groups = {} }) => {
    return Object.keys(groups).find((name) => groups[name] !== undefined)!;
  });
  return (
    <>
      {findRanges(text, keptPattern, () => "kept").map((line) => {
        const parts = tokens.filter(({ start, end }) => end > line.start && start < line.end).map((token) => {
          const part = text.slice(Math.max(token.start, line.start), Math.min(token.end, line.end));
          return token.kind === undefined ? part : <span key={token.start} class={token.kind}>{part}</span>;
        });
        return line.kind === undefined ? parts : <span key={line.start} class={line.kind}>{parts}</span>;
      })}
    </>
  );
}

/** The matches and what is between them, in order. */
function findRanges(text: string, pattern: RegExp, kindOf: (match: RegExpExecArray) => string): Range[] {
  let end = 0;
  const found = [...text.matchAll(pattern)].flatMap((match): Range[] => {
    const range = { start: match.index, end: match.index + match[0].length, kind: kindOf(match) };
    const between = { start: end, end: range.start };
    end = range.end;
    return between.start === between.end ? [range] : [between, range];
  });
  return end === text.length ? found : [...found, { start: end, end: text.length }];
}
