/** The site of the documents: nothing is left out, and a link that leads nowhere ends the build. */

import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { CommandError } from "../../scripts/command.ts";
import { serveSite } from "../../scripts/docs/serve.ts";
import { findPages, readIndex } from "../../scripts/docs/search_pages.ts";
import { buildSite } from "../../scripts/docs/site.ts";
import { checkHelpText } from "../../src/cli/check/check_help.ts";
import { commandNames } from "../../src/cli/commands.ts";
import { execHelpText } from "../../src/cli/exec/exec_help.ts";
import { helpText } from "../../src/cli/help.ts";
import { flagName } from "../../src/cli/options.ts";
import { optionNames } from "../../src/cli/settings.ts";
import { errorProblems } from "../../src/devtools/messages/oauth_errors.ts";
import { verbs } from "../../src/testing/control/verbs/mod.ts";
import { allFaults } from "../../src/check/fault.ts";
import { libraries } from "../../src/devtools/connect/client_snippets/libraries.ts";
import { initHelpText, initialize } from "../../src/cli/init.ts";
import { readCheckArguments } from "../../src/cli/check/check_flags.ts";
import { readExecArguments } from "../../src/cli/exec/exec_arguments.ts";
import { readConfiguration } from "../../src/cli/read_config.ts";

const toFlag = (name: string) => `--${flagName(name)}`;
const titleOf = (text: string | Uint8Array) => /^# (.+)$/m.exec(String(text))![1];
const fromDisk = (path: string) => readFileSync(path, "utf8");
const assets = ["site.css", "site.js", "search.js"].map((path) => [path, ""] as const);
const build = (read = fromDisk, repository?: string) => buildSite({ read, assets, repository });

/** The site as it is, without a repository. */
let site: ReturnType<typeof build> | undefined;
const builtSite = () => site ??= build();

/** A setting in the JSON Schema. */
interface Setting {
  readonly description: string;
  readonly properties?: Readonly<Record<string, Setting>>;
}

/** The text of the pages whose paths begin like this, without marks. */
const textOf = (start: string) =>
  [...builtSite().files].filter(([path]) => path.startsWith(start) && path.endsWith(".html")).map(([, html]) =>
    String(html).replaceAll(/<[^>]+>/g, "").replaceAll("&lt;", "<").replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"').replaceAll("&amp;", "&").replaceAll("&#39;", "'")
  ).join("\n");

test("every guide, every README and the changes are a page", () => {
  const shown = new Set(
    [...builtSite().files].filter(([path]) => path.endsWith(".md")).map(([, body]) => titleOf(body)),
  );
  const files = ["README.md", "static/changes.md", "tests/rules.md"];
  for (const path of [...files, ...globSync("{static/docs/*.md,{src,scripts,tests}/**/README.md}")]) {
    assertEquals(shown.has(titleOf(fromDisk(path))), true, path);
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

const settings: Readonly<Record<string, Setting>> = JSON.parse(fromDisk("static/config.schema.json")).properties;

test("a setting that is on no page ends the build, with the place to correct", () => {
  const schema = JSON.stringify({ properties: { ...settings, another: {} } });
  const read = (path: string) => path === "static/config.schema.json" ? schema : fromDisk(path);
  assertThrows(() => build(read), CommandError, "another: put it into a group of scripts/docs/reference/settings.ts");
});

test("every setting and every member of it is described, as in the JSON Schema", () => {
  const text = textOf("reference/settings-");
  for (const { description, properties: members = {} } of Object.values(settings)) {
    assertStringIncludes(text, description);
    for (const [member, { description }] of Object.entries(members)) {
      assertStringIncludes(text, `${member}: ${description}`);
    }
  }
});

test("the search has the section of each setting, flag, command, fault, verb and rule first", () => {
  const index = readIndex(String(builtSite().files.get("search.json")));
  const flags = [helpText, checkHelpText, execHelpText, initHelpText].flatMap((help) => help.match(/--[a-z][a-z-]+/g)!);
  const pages = {
    "reference/settings-": [...Object.keys(settings), ...optionNames.filter((name) => name !== "config").map(toFlag)],
    "reference/commands": [...commandNames, ...commandNames.map((name) => `latchkey ${name}`), "--config"],
    "reference/faults": allFaults.map(({ id }) => id),
    "reference/control": verbs.map(({ name }) => name).filter((name) => name !== "health"),
    "reference/rules": [...fromDisk("tests/rules.md").matchAll(/^- \*\*([A-Z]{2}-\d{2})/gm)].map(([, id]) => id!),
    "reference/": flags,
  };
  for (const [page, names] of Object.entries(pages)) {
    assertEquals(names.length > 5, true, page);
    for (const name of names) {
      const [first] = findPages(index, name);
      assertEquals([first?.id.startsWith(page), first?.heading.split(", ").includes(name)], [true, true], name);
    }
  }
});

test("everyday words lead to the section that answers, and a stem is no other word", () => {
  const index = readIndex(String(builtSite().files.get("search.json")));
  const sections = {
    "does it work without internet": "guides/not-for.html#phone-home",
    "two factor": "guides/not-for.html#passkeys",
    "self signed https": "guides/configure.html#https-on-localhost",
    "where are the logs": "guides/team.html#logs",
    "server is down": "guides/break-it.html#simulate-an-outage",
    "my callback address is not accepted": "guides/configure.html#register-a-redirect-uri",
    "remove the program again": "guides/not-for.html#uninstall",
    // Everyday verbs, and what somebody wants to break.
    "wipe all the data between my tests": "guides/control.html",
    "jump to next week": "guides/test-in-javascript.html#change-the-clock",
    "break the login deliberately": "guides/break-it.html",
    "return an error 503 on purpose": "guides/break-it.html",
    "tokens should live longer": "guides/configure.html#token-lifetime",
    // What is absent.
    "login on a machine with no keyboard": "guides/get-a-token.html#device-flow",
    "cron job calls an api with no user": "guides/get-a-token.html#client-credentials",
    "sign in automatically with no form": "guides/users.html#show-a-login-page",
    // Products, and what the screen shows.
    "vue app settings": "guides/stacks.html#a-single-page",
    "expo app on a real device": "guides/stacks.html#a-mobile",
    "padlock warning in chrome": "guides/configure.html#https",
    "open up a jwt": "guides/flows.html#decode",
    "what is an id token": "guides/glossary.html",
    "what does scope mean": "guides/glossary.html",
    // Verbs of two words, durations, and what everybody says.
    "sign in should expire after 10 s": "guides/configure.html#token-lifetime",
    "start a fake login page": "guides/start.html",
    "use it without installing anything": "guides/start.html",
    "change how the login screen looks": "guides/users.html#colours",
    "two containers cannot find each other": "guides/containers-and-ci.html#docker-compose",
    "log in as bob instead of alice": "guides/users.html",
    "make the login fail": "guides/break-it.html",
    "does my app have login bugs": "guides/check-a-client.html",
    "someone deploys it live by mistake": "guides/not-for.html#in-production",
    // What users ask without a word of tests, symptoms, and what a page top hid.
    "how do I make it forget me so I can log in again": "guides/sessions.html#",
    "make somebody an admin": "guides/users.html#add-claims",
    "can I open it from my phone": "guides/test-hosts.html#open-it-from-another-device",
    "my app asks for an issuer or authority address": "guides/start.html#connect",
    "the page keeps jumping back and forth": "guides/flows.html#the-login-fails",
    "log in in a popup or hidden window": "guides/sessions.html#silent-login",
    "how do I turn it off": "guides/not-for.html#uninstall",
    "when do I get logged out automatically": "guides/sessions.html#three-lifetimes",
    "suddenly it says my token is too old": "guides/configure.html#token-lifetime",
    "what is the password of the test users": "guides/users.html#passwords",
    "how long am I logged in before I have to log in again": "guides/sessions.html#three-lifetimes",
    // Hosted programs, addresses, several applications, and what comes after.
    "connect grafana to the test server": "guides/stacks.html#a-hosted",
    "where is the token endpoint url": "guides/start.html#the-urls",
    "log in once and be logged in to both of my apps": "guides/sessions.html#two-applications",
    "move to the real provider later": "guides/providers.html#go-live",
    "my script runs at night with nobody there": "guides/get-a-token.html#client-credentials",
    "which name and password do I type on the login page": "guides/users.html#passwords",
    // Where somebody comes from and goes to, what is slow, dangerous, or in another language.
    "replace auth0 with this": "guides/moving.html",
    "replace this with auth0": "guides/providers.html#go-live",
    "why is it so slow": "guides/limits.html#why-is-it-slow",
    "can I expose it to the outside world": "guides/team.html#what-must-be-set",
    "can the pages be translated": "guides/not-for.html#translated-pages",
    "same signing key at each start": "guides/configure.html#the-signing-algorithm",
    "imitate okta": "guides/providers.html#okta",
    "protect my flask routes": "guides/stacks.html#python",
    "explain the message invalid_grant": "guides/troubleshooting.html#invalid_grant",
    // A misspelled word, one that is not finished, and what people of other tools ask.
    "redirct uri": "guides/configure.html#register-a-redirect-uri",
    "certif": "guides/configure.html#https-on-localhost",
    "logout without return address": "guides/logout.html",
    "port already in use": "guides/configure.html#change-the-port",
    "how do I undo everything I changed in the browser": "guides/control.html",
    "my teammate uses windows, does it run there": "guides/start.html#windows",
    "testcontainers random port issuer": "guides/containers-and-ci.html#testcontainers",
    "client secret in body or header": "guides/configure.html#clients-with",
    // When it is ready, who trusts it, and a word that stands for one of the documentation.
    "how do I know when it is up in my pipeline": "guides/containers-and-ci.html#github-actions",
    "java does not trust its certificate": "guides/configure.html#https",
    "is the mail address verified": "guides/users.html",
    "what can I put in the token of a machine": "guides/get-a-token.html#client-credentials",
    "where does the browser land after being signed out": "guides/logout.html",
    "two companies on one server": "guides/embed.html#several-issuers",
    "get a token without all that redirecting": "guides/get-a-token.html#mint-a-token-without",
    "tokens without signature": "guides/get-a-token.html#mint-a-token-without",
    // A section without phrases, by its heading; an error of a system; a product that only one page has.
    "the api rejects my token because of the wrong audience": "guides/troubleshooting.html#wrong-audience",
    "err too many redirects after logging in": "guides/troubleshooting.html#too-many-redirects",
    "connection refused from inside docker": "guides/containers-and-ci.html#docker-compose",
    "minio console login": "guides/emulators.html#minio",
  };
  for (const [query, section] of Object.entries(sections)) {
    const [first] = findPages(index, query);
    assertEquals(first?.id.slice(0, section.length), section, query);
  }
  for (const code of Object.keys(errorProblems)) {
    assertStringIncludes(findPages(index, code)[0]!.id, `troubleshooting.html#${code}`, code);
  }
});

test("the search shows a line of each section that it finds, and no changes", () => {
  const index = readIndex(String(builtSite().files.get("search.json")));
  assertEquals(findPages(index, "--port")[0]!.line, settings.port!.description);
  assertEquals(index.sections.some(({ id }) => id.startsWith("changes.html")), false);
});

test("the page of the rules names the sources in the code and all others", () => {
  const rules = String(builtSite().files.get("reference/rules.md"));
  const sourcesOf = (id: string) => new RegExp(`^### \`${id}\`$[^]*?^Source: (.*)$`, "m").exec(rules)?.[1];
  const section = "https://www.rfc-editor.org/rfc/rfc9700.html#section-4.";
  assertEquals(sourcesOf("RU-14")?.endsWith(`; [RFC 9700 §4.11](${section}11)`), true);
  assertEquals(sourcesOf("HT-22"), `[RFC 9700 §4.7](${section}7); Fetch Metadata §2`);
  assertEquals(sourcesOf("DM-04"), "A decision of this project");
});

test("links to code lead to the repository, if it is known", () => {
  const page = ({ files }: ReturnType<typeof build>) => String(files.get("code/src/server/explain.md"));
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
