/** Parses the Markdown that the READMEs use: headings, paragraphs, lists, tables, code, links, strong text. */

import type { Block, Inline } from "../ui/docs/markdown.tsx";

/** Resolves the target of a link; `undefined`: its words stay, without a link. */
export type ResolveLink = (target: string) => string | undefined;

/** The blocks of a text, in order. Pictures are left out: the pages that they show are on this server. */
export function parseMarkdown(text: string, resolveLink: ResolveLink): Block[] {
  const lines = text.split("\n");
  const ids = new Set<string>();
  const inline = (source: string) => parseInline(source, resolveLink);
  const blocks: Block[] = [];
  let at = 0;
  /** Takes the lines as long as they match. */
  const takeWhile = (matches: (line: string) => boolean): string[] => {
    const from = at;
    while (at < lines.length && matches(lines[at]!)) at++;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at]!;
    const heading = /^(#{1,4}) (.*)$/.exec(line);
    const item = /^(?:-|(\d+)\.) /.exec(line);
    if (line.trim() === "") {
      at++;
    } else if (heading !== null) {
      at++;
      const title = heading[2]!;
      blocks.push({ kind: "heading", level: heading[1]!.length, id: uniqueId(title, ids), content: inline(title) });
    } else if (line.startsWith("```")) {
      at++;
      const code = takeWhile((line) => !line.startsWith("```")).join("\n");
      at++;
      blocks.push({ kind: "code", text: code });
    } else if (line.startsWith("|")) {
      const [head = [], , ...rows] = takeWhile((line) => line.startsWith("|")).map(splitRow);
      if (head.some((cell) => cell.startsWith("!["))) continue;
      const isRow = (cells: readonly string[]) => !cells.some((cell) => cell.startsWith("!["));
      const table = [head, ...rows.filter(isRow)].map((cells) => cells.map(inline));
      if (table.length > 1) blocks.push({ kind: "table", head: table[0]!, rows: table.slice(1) });
    } else if (item !== null) {
      const source = takeWhile((line) => /^(?:-|\d+\.) |^ +\S/.test(line));
      const items = source.join("\n").split(/^(?:-|\d+\.) /m).slice(1).map((text) => inline(joinLines(text)));
      blocks.push({ kind: "list", isOrdered: item[1] !== undefined, items });
    } else {
      const source = joinLines(takeWhile((line) => !/^$|^#{1,4} |^```|^\||^- |^\d+\. /.test(line)).join("\n"));
      if (!source.startsWith("![")) blocks.push({ kind: "paragraph", content: inline(source) });
    }
  }
  return blocks;
}

/** The text of a line: code, strong and emphasized text, links. */
export function parseInline(source: string, resolveLink: ResolveLink = () => undefined): Inline[] {
  const parts: Inline[] = [];
  const marked = /(`+)(.+?)\1(?!`)|\*\*(.+?)\*\*|(?<!\w)_([^_]+)_(?!\w)|\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s]*)\)/g;
  let end = 0;
  for (const match of source.matchAll(marked)) {
    if (match.index > end) parts.push(...linkRules(source.slice(end, match.index), resolveLink));
    end = match.index + match[0].length;
    const [, , code, strong, emphasis, words, target] = match;
    if (code !== undefined) parts.push({ kind: "code", text: code });
    else if (strong !== undefined) parts.push({ kind: "strong", content: parseInline(strong, resolveLink) });
    else if (emphasis !== undefined) parts.push({ kind: "emphasis", content: parseInline(emphasis, resolveLink) });
    else {
      const href = resolveLink(target!);
      // A link contains no other link.
      if (href === undefined) parts.push(...parseInline(words!, resolveLink));
      else parts.push({ kind: "link", href, content: parseInline(words!) });
    }
  }
  if (end < source.length) parts.push(...linkRules(source.slice(end), resolveLink));
  return parts;
}

/** A text whose rule IDs are links, if they have pages: their target is the ID alone. */
function linkRules(text: string, resolveLink: ResolveLink): Inline[] {
  return text.split(/(?<![\w-])([A-Z]{2}-\d{2})(?![\w-])/).flatMap((part, i): Inline[] => {
    const href = i % 2 === 1 ? resolveLink(part) : undefined;
    return part === "" ? [] : href === undefined ? [part] : [{ kind: "link", href, content: [part] }];
  });
}

/** The text without marks. */
export function plainText(content: readonly Inline[]): string {
  return content.map((part) =>
    typeof part === "string" ? part : part.kind === "code" ? part.text : plainText(part.content)
  ).join("");
}

/** The ID of a heading, as on GitHub, so that links between READMEs need no translation. */
export function headingId(title: string): string {
  const text = plainText(parseInline(title));
  return text.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replaceAll(/\s/g, "-");
}

function uniqueId(title: string, ids: Set<string>): string {
  const base = headingId(title);
  let id = base;
  for (let i = 1; ids.has(id); i++) id = `${base}-${i}`;
  ids.add(id);
  return id;
}

function splitRow(line: string): string[] {
  // A bar in code is written \|.
  return line.replace(/^\||\|\s*$/g, "").split(/(?<!\\)\|/).map((cell) => cell.replaceAll("\\|", "|").trim());
}

function joinLines(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, " ");
}
