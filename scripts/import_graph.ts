/** Reads the imports of TypeScript files, as `deno info` reports them. */

import { relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { run } from "./run.ts";

/** One import or re-export. */
export interface ImportEdge {
  /** Path of the importing file below the root folder. */
  readonly from: string;
  /** As written: `./run.ts`, `jose`, `node:sqlite`. */
  readonly specifier: string;
  /** Path of the imported file, relative to the root folder; undefined for packages and built-in modules. */
  readonly to?: string;
  /** `type` disappears at compile time; `dynamic` is loaded when `import()` runs. */
  readonly kind: "value" | "type" | "dynamic";
  /** Counted from 1. */
  readonly line: number;
}

interface Target {
  readonly specifier?: string;
  readonly span: { readonly start: { readonly line: number } };
}

interface Module {
  readonly specifier: string;
  readonly error?: string;
  readonly dependencies?: readonly {
    readonly specifier: string;
    readonly code?: Target;
    readonly type?: Target;
    readonly isDynamic?: boolean;
  }[];
}

/**
 * Reads the imports of these files. `files` are paths below `root`. JSX counts as an import of `preact/jsx-runtime`. A
 * file that imports a module in several ways has an edge for the types and an edge for the values.
 *
 * @throws {CommandError} When a file cannot be parsed.
 */
export async function readImportGraph(root: string, files: readonly string[]): Promise<ImportEdge[]> {
  const entry = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    const urls = files.map((file) => pathToFileURL(resolve(root, file)).href);
    await Deno.writeTextFile(entry, urls.map((url) => `import ${JSON.stringify(url)};\n`).join(""));
    const text = await run([Deno.execPath(), "info", "--json", "--lock=dev.lock", "--config", "deno.json", entry]);
    const { modules }: { modules: readonly Module[] } = JSON.parse(text);
    return modules.filter(({ specifier }) => urls.includes(specifier)).flatMap((module) => getEdges(root, module));
  } finally {
    await Deno.remove(entry);
  }
}

function getEdges(root: string, { specifier: url, dependencies = [], error }: Module): ImportEdge[] {
  if (error !== undefined) throw new Error(error);
  const toPath = (url: string) => relative(root, fileURLToPath(url));
  return dependencies.flatMap(({ specifier, code, type, isDynamic }) => {
    const edge = (kind: ImportEdge["kind"], { specifier: target, span }: Target): ImportEdge => ({
      from: toPath(url),
      specifier,
      to: target?.startsWith("file:") ? toPath(target) : undefined,
      kind,
      line: span.start.line + 1,
    });
    return [
      ...code ? [edge(isDynamic ? "dynamic" : "value", code)] : [],
      ...type ? [edge("type", type)] : [],
    ];
  });
}
