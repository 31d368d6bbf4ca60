/** Reads what a TypeScript file imports, and blanks out its comments and literals so that its words can be searched. */

/** One import or re-export, or one place that names a module. */
export interface Import {
  /** As written: `./errors.ts`, `jose`, `node:sqlite`; undefined when it is only known at run time. */
  readonly specifier: string | undefined;
  /** `type` is gone at run time; `dynamic` is loaded when that line is reached. */
  readonly kind: "value" | "type" | "dynamic";
  readonly line: number;
}

const comment = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const quoted = /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/y;
const template = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{|$)/y;
const regex = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const word = /[\w$]+/y;

/** After these words a slash begins a regular expression, as it does after most punctuation. */
const regexPrecedingWords = new Set([
  "return",
  "typeof",
  "case",
  "in",
  "of",
  "void",
  "await",
  "yield",
  "else",
  "throw",
]);

/**
 * The same text with a space for every character of comments, strings, templates and regular expressions; quotes, line
 * breaks and the code inside `${}` stay. It is a reader of tokens, not of grammar: an apostrophe in the text of a JSX
 * element is taken for a letter when nothing closes it on its line.
 */
export function blankLiterals(source: string): string {
  let result = "";
  let at = 0;
  let previous = "";
  /** Braces open inside each `${` that is not closed yet. */
  const depths: number[] = [];
  const matchAt = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  const toSpaces = (text: string): string => text.replace(/[^\n]/g, " ");
  const advance = (text: string, shown: string): void => {
    result += shown;
    at += text.length;
  };
  const advanceTemplate = (): void => {
    const text = matchAt(template)!;
    const end = /(?:`|\$\{)$/.exec(text)?.[0] ?? "";
    advance(text, toSpaces(text.slice(0, text.length - end.length)) + end);
    if (end === "${") depths.push(0);
    previous = end === "${" ? "{" : "`";
  };
  while (at < source.length) {
    const char = source[at];
    let text: string | undefined;
    if ((text = matchAt(comment))) {
      advance(text, toSpaces(text));
    } else if ((text = matchAt(quoted))) {
      advance(text, char + toSpaces(text.slice(1, -1)) + char);
      previous = char;
    } else if (char === "`") {
      advance(char, char);
      advanceTemplate();
    } else if (char === "}" && depths.at(-1) === 0) {
      depths.pop();
      advance(char, char);
      advanceTemplate();
    } else if (
      char === "/" && (regexPrecedingWords.has(previous) || /^[-+*%=&|^!?:;,~({[>]?$/.test(previous)) &&
      (text = matchAt(regex))
    ) {
      advance(text, toSpaces(text));
      previous = "/x/";
    } else if ((text = matchAt(word))) {
      advance(text, text);
      previous = text;
    } else {
      if (depths.length && char === "{") depths[depths.length - 1]++;
      if (depths.length && char === "}") depths[depths.length - 1]--;
      advance(char, char);
      if (!/\s/.test(char)) previous = char;
    }
  }
  return result;
}

/** What stands between `import` or `export` and `from`: `* as a`, `a`, `{ b, c }` or `a, { b, c }`. */
const names = String.raw`[\w$]+\s+(?=from)|(?:[\w$]+\s*,\s*)?(?:\{[^{}]*\}|\*(?:\s*as\s+[\w$]+)?)`;
const statement = new RegExp(String.raw`\b(?:import|export)\b(\s+type\b)?\s*(?:(${names})\s*from\s*)?["']`, "g");
const call = /\bimport\s*\(\s*(["']?)/g;

/** What a file imports or re-exports, in no particular order. JSX counts as an import of Preact. */
export function readImports(path: string, source: string): Import[] {
  const bare = blankLiterals(source);
  const lineAt = (index: number): number => source.slice(0, index).split("\n").length;
  /** The literal whose opening quote stands just before this place. */
  const literalAt = (start: number): string => source.slice(start, bare.indexOf(source[start - 1], start));
  const imports: Import[] = [];
  for (const match of bare.matchAll(statement)) {
    const [text, type, names] = match;
    const onlyTypes = type || (names && /^\{(?:\s*type\s[^,]*,?)+\}$/.test(names));
    imports.push({
      specifier: literalAt(match.index + text.length),
      kind: onlyTypes ? "type" : "value",
      line: lineAt(match.index),
    });
  }
  for (const match of bare.matchAll(call)) {
    const start = match.index + match[0].length;
    const specifier = match[1] ? literalAt(start) : undefined;
    // `typeof import("x")` and `import("x").Name` only occur as types.
    const isType = /\btypeof\s*$/.test(bare.slice(0, match.index)) ||
      (match[1] && /^["']\s*\)\s*\.\s*[A-Z]/.test(bare.slice(start + specifier!.length)));
    imports.push({ specifier, kind: isType ? "type" : "dynamic", line: lineAt(match.index) });
  }
  if (path.endsWith(".tsx")) imports.push({ specifier: "preact/jsx-runtime", kind: "value", line: 1 });
  return imports;
}

/** `preact` of `preact/jsx-runtime`; a `node:` module as it is. */
export function getPackageName(specifier: string): string {
  return specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}
