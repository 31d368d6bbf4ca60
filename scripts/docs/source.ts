/** A Markdown file: its headings, their anchors, its links. */

import GithubSlugger from "github-slugger";

/** A line of Markdown, and whether it is in a block of code. */
interface Line {
  readonly text: string;
  readonly isCode: boolean;
}

function* linesOf(text: string): Generator<Line> {
  let fence: string | undefined;
  for (const line of text.split("\n")) {
    const mark = /^\s*(`{3,})/.exec(line)?.[1];
    yield { text: line, isCode: fence !== undefined || mark !== undefined };
    if (mark !== undefined) fence = fence === undefined ? mark : line.trim() === fence ? undefined : fence;
  }
}

/** The headings of a text, in order. */
export function headingsOf(text: string): { readonly level: number; readonly text: string }[] {
  return [...linesOf(text)].flatMap(({ text, isCode }) => {
    const [, marks, heading] = isCode ? [] : /^(#{1,6}) (.+)$/.exec(text) ?? [];
    return marks === undefined ? [] : [{ level: marks.length, text: heading! }];
  });
}

/** The text of a heading or a cell without its marks. */
export const plain = (text: string): string =>
  text.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/[`*]|<[^>]+>/g, "");

/** Gives the headings of one text their anchors. */
export const anchorsOf = (texts: readonly string[]): string[] => {
  const slugger = new GithubSlugger();
  return texts.map((text) => slugger.slug(plain(text)));
};

/** Replaces the target of every link outside code; `undefined` leaves only the text of the link. */
export function replaceLinks(text: string, replace: (target: string) => string | undefined): string {
  return [...linesOf(text)].map(({ text: line, isCode }) =>
    isCode ? line : line.replaceAll(
      /(`[^`]*`(?!\]))|(!?)\[((?:[^[\]]|`[^`]*`|\[[^\]]*\])*)\]\(([^()\s]+)\)/g,
      (whole, code, mark, label, target) => {
        if (code !== undefined) return whole;
        const found = replace(target);
        return found === undefined ? label : `${mark}[${label}](${found})`;
      },
    )
  ).join("\n");
}
