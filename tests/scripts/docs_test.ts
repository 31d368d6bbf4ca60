/** The site of the documents: nothing is left out, and a link that leads nowhere ends the build. */

import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { CommandError } from "../../scripts/command.ts";
import { serveSite } from "../../scripts/docs/serve.ts";
import { headingsOf } from "../../scripts/docs/source.ts";
import { buildSite } from "../../scripts/docs/site.ts";
import { libraries } from "../../src/devtools/connect/client_snippets/libraries.ts";
import { initialize } from "../../src/cli/init.ts";
import { readCheckArguments } from "../../src/cli/check/check_flags.ts";
import { readExecArguments } from "../../src/cli/exec/exec_arguments.ts";
import { readConfiguration } from "../../src/cli/read_config.ts";

const fromDisk = (path: string) => readFileSync(path, "utf8");
const assets = ["site.css", "site.js", "search.js"].map((path) => [path, ""] as const);
const build = (read = fromDisk, repository?: string) => buildSite({ read, assets, rejections: new Map(), repository });

/** The site as it is, without a repository. */
let site: ReturnType<typeof build> | undefined;
const builtSite = () => site ??= build();

/** A setting in the JSON Schema. */
interface Setting {
  readonly description: string;
  readonly properties?: Readonly<Record<string, Setting>>;
}

/** The Markdown files of the site. */
const pages = (files: ReturnType<typeof build>["files"]) =>
  [...files].filter(([path]) => path.endsWith(".md") && !path.startsWith("static/")).map(([, body]) => String(body));

test("the site has every heading of every README once", () => {
  const text = pages(builtSite().files);
  const shown = Map.groupBy(text.flatMap(headingsOf), ({ text }) => text);
  const readmes = [
    "README.md",
    "static/changes.md",
    ...globSync(["{src,scripts,tests}/**/README.md", "static/docs/*.md"]),
  ];
  const expected = Map.groupBy(readmes.flatMap((path) => headingsOf(fromDisk(path))), ({ text }) => text);
  for (const [heading, { length }] of expected) {
    assertEquals(shown.get(heading)?.length, length, heading);
  }
});

test("a link that leads nowhere ends the build, and so does a wrong anchor", () => {
  const read = (path: string) =>
    fromDisk(path) +
    (path === "src/client/README.md" ? "\n[a](gone.md), [b](#gone), [c](../cli/README.md#gone)\n" : "");
  const { message } = assertThrows(() => build(read), CommandError);
  for (const link of ["gone.md", "#gone", "../cli/README.md#gone"]) {
    assertStringIncludes(message, `\n  src/client/README.md: ${link}`);
  }
});

test("a section that is renamed ends the build, with the place to correct", () => {
  const read = (path: string) => fromDisk(path).replace("## Where to change what", "## Changes");
  assertThrows(() => build(read), CommandError, "scripts/docs/plan.ts");
});

test("every setting and every member of it is described, as in the JSON Schema", () => {
  const html = String(builtSite().files.get("look-up/settings.html"));
  const text = html.replaceAll(/<[^>]+>/g, "").replaceAll("&lt;", "<").replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"').replaceAll("&amp;", "&").replaceAll("&#39;", "'");
  const { properties } = JSON.parse(fromDisk("static/config.schema.json"));
  for (const [name, { description, properties: members = {} }] of Object.entries<Setting>(properties)) {
    assertStringIncludes(html, `<code>${name}</code></h2>`);
    assertStringIncludes(text, description);
    for (const [member, { description }] of Object.entries(members)) {
      assertStringIncludes(text, `${member}: ${description}`);
    }
  }
});

test("the page of a rule names the sources in the code and all others", () => {
  const sourcesOf = (id: string) =>
    /^- \*\*Source\*\*: (.*)$/m.exec(String(builtSite().files.get(`rules/${id}.md`)))?.[1];
  const section = "https://www.rfc-editor.org/rfc/rfc9700.html#section-4.";
  assertEquals(sourcesOf("RU-14")?.endsWith(`; [RFC 9700 §4.11](${section}11)`), true);
  assertEquals(sourcesOf("HT-22"), `[RFC 9700 §4.7](${section}7); Fetch Metadata §2`);
  assertEquals(sourcesOf("DM-04"), "A decision of this project");
});

test("links to code lead to the repository, if it is known", () => {
  const page = ({ files }: ReturnType<typeof build>) => String(files.get("understand/protocol.md"));
  const address = "https://git.example/blob";
  assertStringIncludes(page(build(fromDisk, address)), `[\`core/rules/\`](${address}/src/core/rules/mod.ts)`);
  assertEquals(page(builtSite()).includes("rules/mod.ts"), false);
});

test("the program accepts the commands for each stack", async () => {
  const readTextFile = () => Promise.resolve("{}");
  const start = async (args: readonly string[]) =>
    assertEquals((await readConfiguration({ args: [...args], env: {}, readTextFile })).kind, "run");
  const commands = [...fromDisk("static/docs/stacks.md").matchAll(/^latchkey (.*)$/gm)].map(([, words]) =>
    words!.split(" ")
  );
  assertEquals(commands.length > 20, true);
  for (const [command, ...args] of commands as [string, ...string[]][]) {
    if (command === "exec") await start(readExecArguments(args, "latchkey").serverArgs);
    else if (command === "check") await start(readCheckArguments(args, "latchkey").serverArgs);
    else if (command !== "init") await start([command, ...args]);
    else {
      const environment = { env: {}, mainModule: "latchkey", readTextFile: () => Promise.reject(new Error("no file")) };
      const files: string[] = [];
      await initialize(args, environment, {
        createPrivateFile: (_, text) => Promise.resolve(files.push(text) > 0),
        randomSecret: () => "secret",
        describeClient: () =>
          Promise.resolve(libraries.map(({ library }) => ({ library, placement: "", text: "", notes: [] }))),
      });
      assertStringIncludes(files.join(), args[args.indexOf("--redirect-uri") + 1]!);
    }
  }
});

test("the server of the site serves the files of its folder, and none outside it", async () => {
  const { origin, close } = serveSite("static/docs", 0);
  const status = async (path: string) => {
    const response = await fetch(`${origin}/${path}`);
    await response.body?.cancel();
    return response.status;
  };
  const outside = ["../config.schema.json", "..%2fconfig.schema.json", "%2e%2e/config.schema.json", "..%5cllms.txt"];
  assertEquals(await status("site.css"), 200);
  for (const path of [...outside, "%", "x%00"]) assertEquals(await status(path), 404, path);
  await close();
});
