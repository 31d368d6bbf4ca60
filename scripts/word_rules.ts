/** Finds words that the project's vocabulary replaces, in code and texts. */

import { dirname, join } from "node:path/posix";

/** What to write instead of a word; `except` is a pattern of the phrases in which the word is plain English. */
export type WordRule = string | { readonly write: string; readonly except?: string };

/** Word pattern (a regular expression of whole words, case ignored) → what to write instead. */
export type WordRules = Readonly<Record<string, WordRule>>;

/** One occurrence of a word. */
export interface WordFinding {
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  readonly word: string;
  readonly write: string;
}

/** Splits `camelCase`, `PascalCase` and `snake_case` into words, each separated by one space. */
function splitIdentifiers(text: string): string {
  return text.replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, " ").replaceAll("_", " ");
}

/** Finds the words in the text of one file. */
export function findWords(path: string, text: string, rules: WordRules): WordFinding[] {
  const patterns = Object.entries(rules).map(([pattern, rule]) => {
    const { write, except } = typeof rule === "string" ? { write: rule } : rule;
    const word = new RegExp(`\\b(?:${pattern})\\b`, "gi");
    return { word, write, except: except === undefined ? undefined : new RegExp(except, "gi") };
  });
  const any = new RegExp(`\\b(?:${Object.keys(rules).join("|")})\\b`, "i");
  return text.split("\n").flatMap((source, index) => {
    const line = splitIdentifiers(source);
    if (!any.test(line)) return [];
    return patterns.flatMap(({ word, write, except }) =>
      Array.from((except ? line.replace(except, "") : line).matchAll(word), ([found]) => (
        { path, line: index + 1, word: found, write }
      ))
    );
  });
}

/** Maximum length of a comment line. The formatter breaks code only. */
const maxCommentColumns = 120;

/** Finds comment lines that are too long. */
export function findLongComments(path: string, text: string): WordFinding[] {
  return text.split("\n").flatMap((line, index) =>
    line.length > maxCommentColumns && /^\s*(?:\/?\*+|\/\/) /.test(line)
      ? [{ path, line: index + 1, word: `${line.length} columns`, write: `at most ${maxCommentColumns}` }]
      : []
  );
}

/** A path of TypeScript, or a folder, in backquotes. */
const quotedPath = /`((?:[a-z@.][\w.-]*\/)*[a-z][\w.-]*(?:\.tsx?|\/))`/g;

/** The places that a path in a comment may be relative to, besides the folder of its file. */
const pathRoots = ["", "src", "src/core", "src/server", "tests", "scripts"];

/** No paths of the repository: built folders, a prefix of media types, a file of a reader. */
const otherPaths = ["dist/", "node_modules/", "application/", "src/auth.ts"];

/**
 * Finds paths in comments that do not exist.
 *
 * @param exists Whether a path of the repository exists.
 */
export function findMissingPaths(path: string, text: string, exists: (path: string) => boolean): WordFinding[] {
  return text.split("\n").flatMap((source, index) => {
    if (!/^\s*(?:\/?\*+|\/\/) /.test(source)) return [];
    return [...source.matchAll(quotedPath)].map(([, named]) => named!)
      .filter((named) =>
        !otherPaths.includes(named) && ![dirname(path), ...pathRoots].some((root) => exists(join(root, named)))
      )
      .map((named) => ({ path, line: index + 1, word: named, write: "a path that exists" }));
  });
}

/** One folder or file after the check: `failed` if it has more findings than `open` allows. */
export interface FolderResult {
  readonly folder: string;
  readonly findings: readonly WordFinding[];
  readonly allowed: number;
  readonly failed: boolean;
}

/** The key of `open` that a path belongs to: the longest that is the path itself or a folder above it. */
function getOpenFolder(path: string, folders: readonly string[]): string | undefined {
  return folders.filter((folder) => path === folder || path.startsWith(`${folder}/`))
    .sort((a, b) => b.length - a.length)[0];
}

/**
 * Compares the findings with the folders that may still have some. Every path outside these folders may have none.
 *
 * @param open Folder or file → how many findings it may have.
 */
export function checkWords(findings: readonly WordFinding[], open: Readonly<Record<string, number>>): FolderResult[] {
  const groups = new Map<string, WordFinding[]>(Object.keys(open).map((folder) => [folder, []]));
  for (const finding of findings) {
    const folder = getOpenFolder(finding.path, Object.keys(open)) ?? finding.path;
    groups.set(folder, [...groups.get(folder) ?? [], finding]);
  }
  return [...groups].map(([folder, found]) => {
    const allowed = open[folder] ?? 0;
    return { folder, findings: found, allowed, failed: found.length > allowed };
  });
}
