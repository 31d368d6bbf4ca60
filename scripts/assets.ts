/** Makes assets.gen.ts from static/: `deno task assets --help`. */

import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { build, stop } from "esbuild";
import { exitWithError, readCommand } from "./command.ts";

/** Older browsers still read and follow every page; they only lose the copy buttons. */
const target = ["es2022", "chrome111", "firefox115", "safari16.4"];

interface AssetSource {
  readonly type: string;
  make(): Promise<string>;
}

const css = (from: string): AssetSource => ({ type: "text/css; charset=utf-8", make: () => bundle(from) });

const script = (from: string): AssetSource => ({ type: "text/javascript; charset=utf-8", make: () => bundle(from) });

const icon: AssetSource = {
  type: "image/svg+xml",
  make: async () => (await readFile("static/icon.svg", "utf8")).replace(/>\s+</g, "><").trim(),
};

/** A style sheet or a script in one piece, with what it imports, as small as it gets. */
async function bundle(from: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [from],
    bundle: true,
    format: "esm",
    minify: true,
    target,
    write: false,
  });
  return outputFiles[0]!.text;
}

/** What is made: the files of every page, and those of pages that are loaded apart. */
const outputs: Readonly<
  Record<string, { readonly at: string; readonly files: Readonly<Record<string, AssetSource>> }>
> = {
  "src/ui/assets.gen.ts": {
    at: "static",
    files: {
      "icon.svg": icon,
      "people.css": css("static/people.css"),
      "script.js": script("static/script.ts"),
      "style.css": css("static/style.css"),
    },
  },
  "src/ui/flows/assets.gen.ts": {
    at: "flows",
    files: {
      "flow.css": css("static/flows/flow.css"),
      "flow.js": script("static/flows/flow.ts"),
      "list.css": css("static/flows/list.css"),
      "list.js": script("static/flows/list.ts"),
    },
  },
};

/** The texts that those files should have, their paths first. Reads from the current folder, the project's root. */
export async function generateAssets(): Promise<{ path: string; text: string }[]> {
  const generated: { path: string; text: string }[] = [];
  for (const [path, { at, files }] of Object.entries(outputs)) {
    const lines: string[] = [];
    for (const [name, { type, make }] of Object.entries(files)) {
      const body = await make();
      const etag = `"${createHash("sha256").update(body).digest("base64url")}"`;
      lines.push(`  ${JSON.stringify(name)}: ${JSON.stringify({ type, etag, body })},`);
    }
    const up = "../".repeat(path.split("/").length - 2);
    const text = `// deno-fmt-ignore-file
/** The files that pages refer to, made by scripts/assets.ts from static/: change them there. */

import type { Asset } from "${up}ui/pages.ts";

/** By the last part of \`{base}/${at}/{name}\`. */
export const assets: Readonly<Record<string, Asset>> = {
${lines.join("\n")}
};
`;
    generated.push({ path, text });
  }
  await stop();
  return generated;
}

// Not import.meta.main: this module is also bundled into a test.
if (process.argv[1]?.endsWith("scripts/assets.ts")) {
  const { flags } = readCommand({
    call: "deno task assets",
    does: `Makes ${Object.keys(outputs).join(" and ")} from static/: style sheets, scripts and the icon.`,
    flags: { check: { does: "writes nothing, and only tells if one is stale" } },
  });
  for (const { path, text } of await generateAssets()) {
    if (!flags.check) {
      await writeFile(path, text);
      console.log(`${path}: ${text.length} characters`);
    } else if (text !== await readFile(path, "utf8").catch(() => "")) {
      exitWithError(`${path} does not match static/. Run: deno task assets`);
    }
  }
}
