/** A Markdown file in parts: what stands before the first section, and its sections. */

import GithubSlugger from "github-slugger";

/** A part of a file, with the headings in it and the anchors that GitHub gives them. */
export interface Part {
  /** The heading of the section; absent for what stands before the first one. */
  readonly title?: string;
  readonly text: string;
  /** The anchors of its headings, in order. */
  readonly anchors: readonly string[];
}

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

/** Divides a file at its headings of level 2; a heading inside `<details>` does not divide. */
export function partsOf(text: string): Part[] {
  const parts: { title?: string; lines: string[] }[] = [{ lines: [] }];
  let depth = 0;
  for (const { text: line, isCode } of linesOf(text)) {
    if (!isCode) depth += line.split("<details").length - line.split("</details>").length;
    const title = isCode || depth > 0 ? undefined : /^## (.+)$/.exec(line)?.[1];
    if (title !== undefined) parts.push({ title, lines: [] });
    parts.at(-1)!.lines.push(line);
  }
  const anchors = anchorsOf(headingsOf(text).map(({ text }) => text));
  return parts.map(({ lines, ...part }) => {
    const text = lines.join("\n").trim() + "\n";
    return { ...part, text, anchors: anchors.splice(0, headingsOf(text).length) };
  });
}

/** The parts as one text with a heading of level 1. */
export function joinParts(parts: readonly Part[]): string {
  const [first, ...others] = parts.map(({ text }) => text);
  const raised = parts[0]!.title === undefined ? first! : raise(first!);
  return [raised, ...others].join("\n");
}

/** Takes one mark from each heading. */
function raise(text: string): string {
  return [...linesOf(text)].map(({ text, isCode }) => isCode ? text : text.replace(/^##/, "#")).join("\n");
}

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
