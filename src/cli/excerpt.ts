/**
 * Shows the lines of the configuration file that an issue is about. Loaded only for an invalid file.
 *
 * A file may contain secrets, even under misspelt names. An excerpt therefore shows only the known names, the
 * punctuation, numbers of settings that are numbers, values that the schema lists, and the values that the message of
 * the issue also shows.
 */

import { createScanner, findNodeAtLocation, type Node, parseTree, type SyntaxKind } from "jsonc-parser";
import type { Field, Path } from "../core/policy/field.ts";
import { quote } from "../server/config/config_issue.ts";
import type { ConfigIssue } from "../core/rules/configuration_error.ts";

/** Kinds of tokens: the enumeration of the parser has no values at run time. */
const [colonToken, stringToken, numberToken, lineBreak, whiteSpace] = [6, 10, 11, 14, 15] as const satisfies readonly (
  SyntaxKind
)[];

/** The tokens that are shown as they are: punctuation, `null`, `true`, `false`. */
const plainTokens = { first: 1, last: 9 } as const;

const hidden = "…";

/** Further issues have no excerpt. */
const maxExcerpts = 100;

/** Maximum number of characters of a line. */
const maxLineChars = 100;

/** The place of an issue, in UTF-16 units from the start of the text. */
interface Place {
  readonly offset: number;
  /** The text to show instead of the tokens at these offsets. */
  readonly shown: readonly (readonly [offset: number, text: string])[];
}

/** A line without hidden values, and its tokens: their columns in the text, and in the line. */
interface Line {
  readonly text: string;
  readonly columns: (readonly [original: number, column: number])[];
}

/**
 * Adds to the issues of the file the lines that they are about, and puts them into the order of the file. Other issues
 * keep their places.
 *
 * @param text The text of the file.
 * @param file The name of the file, with which the paths of its issues begin.
 * @param field The description of the content, which has the known names.
 */
export function addExcerpts(
  issues: readonly ConfigIssue[],
  text: string,
  file: string,
  field: Field,
): ConfigIssue[] {
  const root = parse(text);
  const places = issues.slice(0, maxExcerpts).map((issue) =>
    issue.path.startsWith(`${file}: `) ? findPlace(text, root, issue, issue.path.slice(file.length + 2)) : undefined
  );
  const shown = new Map(places.flatMap((place) => place?.shown ?? []));
  const lines = readLines(text, fieldsByName(field), shown);
  const placed = issues.flatMap((issue, i) => places[i] === undefined ? [] : [{ issue, offset: places[i].offset }])
    .sort((one, other) => one.offset - other.offset)
    .map(({ issue, offset }) => ({ ...issue, excerpt: formatExcerpt(text, lines, offset, file) }));
  return issues.map((issue, i) => places[i] === undefined ? issue : placed.shift()!);
}

function parse(text: string): Node | undefined {
  try {
    return parseTree(text);
  } catch (error) {
    // The text is nested too deeply for the recursive parser.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function findPlace(text: string, root: Node | undefined, issue: ConfigIssue, path: string): Place | undefined {
  const [, line, column] = /^line (\d+), column (\d+)$/.exec(path) ?? [];
  if (line !== undefined) return { offset: offsetAt(text, Number(line), Number(column)), shown: [] };
  const steps: Path = [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) =>
    index === undefined ? name! : Number(index)
  );
  // A missing member has no position; the position of its object is used.
  for (let length = steps.length; length > 0; length--) {
    const node = root && findNodeAtLocation(root, [...steps.slice(0, length)]);
    if (node === undefined) continue;
    const property = node.parent?.type === "property" ? node.parent : undefined;
    const showsValue = length === steps.length && node.children === undefined && issue.received === quote(node.value);
    return {
      offset: (property ?? node).offset,
      shown: [
        ...property === undefined ? [] : [[property.offset, quote(steps[length - 1])] as const],
        ...showsValue ? [[node.offset, issue.received] as const] : [],
      ],
    };
  }
  return undefined;
}

const lineBreakPattern = /\r\n|\n|\r/g;

function offsetAt(text: string, line: number, column: number): number {
  const starts = [0, ...[...text.matchAll(lineBreakPattern)].map((match) => match.index + match[0].length)];
  return starts[line - 1]! + column - 1;
}

/** All fields of each known name, at any depth. */
function fieldsByName(
  { members = {}, items, others }: Field,
  found = new Map<string, Field[]>(),
): ReadonlyMap<string, readonly Field[]> {
  for (const [name, field] of Object.entries(members)) found.set(name, [...found.get(name) ?? [], field]);
  for (const field of [...Object.values(members), items, others]) if (field !== undefined) fieldsByName(field, found);
  return found;
}

/** Whether the value of a name is no secret, wherever the name stands. */
function isNoSecret(fields: readonly Field[], kind: number, value: string): boolean {
  if (kind === numberToken) return fields.length > 0 && fields.every(({ type }) => type === "integer");
  return kind === stringToken && fields.some(({ choices = [] }) => choices.includes(value));
}

/** A line while it grows: a file may have all of its text on one. */
class LineDraft {
  readonly parts: string[] = [];
  readonly columns: [original: number, column: number][] = [];
  length = 0;

  add(part: string): void {
    this.parts.push(part);
    this.length += part.length;
  }

  replace(index: number, part: string): void {
    this.length += part.length - this.parts[index]!.length;
    this.parts[index] = part;
  }
}

/** The lines of the text, with hidden values. */
function readLines(
  text: string,
  fields: ReadonlyMap<string, readonly Field[]>,
  shown: ReadonlyMap<number, string>,
): Line[] {
  const scanner = createScanner(text);
  const lines = [new LineDraft()];
  let lineStart = 0;
  let lastName: { readonly name: string; readonly line: LineDraft; readonly part: number } | undefined;
  /** The fields of the name before the value. */
  let valueFields: readonly Field[] = [];
  while (scanner.getPosition() < text.length) {
    const kind: number = scanner.scan();
    const [offset, length] = [scanner.getTokenOffset(), scanner.getTokenLength()];
    const token = text.slice(offset, offset + length);
    const line = lines.at(-1)!;
    if (kind === colonToken && lastName !== undefined) {
      // The colon shows that the string before it is a name.
      lastName.line.replace(lastName.part, `"${lastName.name}"`);
      valueFields = fields.get(lastName.name)!;
    }
    const isShown = isNoSecret(valueFields, kind, scanner.getTokenValue());
    if (kind !== colonToken && kind !== whiteSpace && kind !== lineBreak) valueFields = [];
    line.columns.push([offset - lineStart, line.length]);
    if (kind === stringToken) {
      const value = scanner.getTokenValue();
      const replacement = shown.get(offset) ?? (isShown ? `"${value}"` : undefined);
      lastName = replacement === undefined && fields.has(value)
        ? { name: value, line, part: line.parts.length }
        : undefined;
      line.add(replacement ?? `"${hidden}"`);
    } else if (kind === whiteSpace) line.add(" ".repeat(length));
    else if (kind !== lineBreak) {
      const isPlain = isShown || kind >= plainTokens.first && kind <= plainTokens.last;
      line.add(isPlain ? token : shown.get(offset) ?? hidden);
      lastName = undefined;
    }
    // A comment can have several lines.
    for (const match of token.matchAll(lineBreakPattern)) {
      lines.push(new LineDraft());
      lineStart = offset + match.index + match[0].length;
    }
  }
  return lines.map(({ parts, columns }) => ({ text: parts.join(""), columns }));
}

function formatExcerpt(text: string, lines: readonly Line[], offset: number, file: string): string {
  const before = text.slice(0, offset).split(lineBreakPattern);
  const number = before.length;
  const column = before.at(-1)!.length;
  const { columns, text: shownLine } = lines[number - 1]!;
  const token = columns.findLast(([original]) => original <= column);
  const caret = token?.[0] === column ? token[1] : shownLine.trimEnd().length;
  // A whole file may be on one line.
  const from = caret > maxLineChars / 2 && shownLine.length > maxLineChars ? caret - maxLineChars / 2 : 0;
  const cut = (line: string) => line.slice(from, from + maxLineChars).trimEnd();
  const width = String(number + 1).length;
  const row = (mark: string, label: string, content: string) =>
    `${mark} ${label.padStart(width)} | ${content}`.trimEnd();
  return [
    `${file}:${number}:${column + 1}`,
    ...number > 1 ? [row(" ", String(number - 1), cut(lines[number - 2]!.text))] : [],
    row(">", String(number), cut(shownLine)),
    row(" ", "", `${" ".repeat(caret - from)}^`),
    ...number < lines.length ? [row(" ", String(number + 1), cut(lines[number]!.text))] : [],
  ].join("\n");
}
