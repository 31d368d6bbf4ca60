/** Makes src/ui/assets.gen.ts from static/: `deno run -A scripts/assets.ts`, or with `--check` only tells if it is stale. */

import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { stop, transform } from "esbuild";

const output = "src/ui/assets.gen.ts";

/** Older browsers still read and follow every page; they only lose the copy buttons. */
const target = ["es2022", "chrome111", "firefox115", "safari16.4"];

const makers: Readonly<Record<string, { type: string; from: string; make(text: string): string | Promise<string> }>> = {
  "icon.svg": {
    type: "image/svg+xml",
    from: "static/icon.svg",
    make: (text) => text.replace(/>\s+</g, "><").trim(),
  },
  "script.js": {
    type: "text/javascript; charset=utf-8",
    from: "static/script.ts",
    make: async (text) => (await transform(text, { loader: "ts", format: "esm", minify: true, target })).code,
  },
  "style.css": {
    type: "text/css; charset=utf-8",
    from: "static/style.css",
    make: async (text) => (await transform(text, { loader: "css", minify: true, target })).code,
  },
};

/** The text that src/ui/assets.gen.ts should have, its name first. Reads from the current folder, the project's root. */
export async function generateAssets(): Promise<{ path: string; text: string }> {
  const lines: string[] = [];
  for (const [name, { type, from, make }] of Object.entries(makers)) {
    const body = await make(await readFile(from, "utf8"));
    const etag = `"${createHash("sha256").update(body).digest("base64url")}"`;
    lines.push(`  ${JSON.stringify(name)}: ${JSON.stringify({ type, etag, body })},`);
  }
  await stop();
  const text = `// deno-fmt-ignore-file
/** The files that pages refer to, made by scripts/assets.ts from static/: change them there. */

import type { Asset } from "../endpoints/pages.ts";

/** By the last part of \`{base}/static/{name}\`. */
export const assets: Readonly<Record<string, Asset>> = {
${lines.join("\n")}
};
`;
  return { path: output, text };
}

// Not import.meta.main: this module is also bundled into a test.
if (process.argv[1]?.endsWith("scripts/assets.ts")) {
  const { path, text } = await generateAssets();
  if (process.argv.includes("--check")) {
    if (text !== await readFile(path, "utf8").catch(() => "")) {
      console.error(`${path} does not match static/. Run: deno run -A scripts/assets.ts`);
      process.exit(1);
    }
  } else {
    await writeFile(path, text);
    console.log(`${path}: ${text.length} characters`);
  }
}
