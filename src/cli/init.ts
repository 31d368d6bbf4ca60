/** `latchkey init`: writes a configuration file for one application, and prints the settings of the application. */

import { libraries } from "../devtools/connect/client_snippets/libraries.ts";
import type { ClientSnippet } from "../devtools/connect/pages/client_snippets.tsx";
import { validateRedirectUri } from "../server/config/uri_issues.ts";
import { suggest } from "../core/policy/suggest.ts";
import { demoUsers } from "../server/config/demo_entries.ts";
import { quote } from "../server/config/config_issue.ts";
import type { ConfigIssue } from "../core/rules/configuration_error.ts";
import type { Settings } from "../server/config/settings.ts";
import type { ProcessEnvironment } from "../platform/runtime/process_environment.ts";
import { programCommand, unwritableFile } from "./about.ts";
import { CommandLineError } from "./command_line_error.ts";
import { configFileName } from "./environment.ts";
import { printable } from "../core/http/quote_value.ts";
import { shellWord } from "../platform/shell_word.ts";
import { splitWords } from "./split_words.ts";
import { printText } from "./terminal_text.ts";

const port = 9000;
const titles = libraries.map(({ library }) => library);

export const initHelpText = `Usage: latchkey init [FLAG]...

Writes latchkey.json, a configuration file with two users and one client, which
logs them in, and prints the settings of the application. On a terminal it asks
for the library, the redirect URI and whether there is a secret, unless a flag
says so; elsewhere it takes the defaults. It never overwrites a file.

A client that acts without a user needs a secret, and "client_credentials" among
its grant_types in the file.

  --library NAME        the library of the application, one of
${titles.join(", ").match(/.{1,56}(?= |$)/g)!.map((line) => " ".repeat(24) + line.trim()).join("\n")}
  --redirect-uri URI    where the application receives the code
  --confidential        the application keeps a secret
  --public              the application keeps no secret (browser, device)
  --client-id ID        the client_id that the application has (app)
  --client-secret TEXT  its secret; by default, a new one
  --output FILE         another name for the new file
  --from FILE           instead, the clients, users and roles of a realm that
                        Keycloak exported
`;

/** The functions by which the command interacts with its environment. */
export interface InitActions {
  /** Asks a question on the terminal; `undefined` if the input ends. Absent: there is no terminal. */
  readonly ask?: (question: string) => Promise<string | undefined>;
  /** Writes a file that does not exist, with mode 0600; resolves with `false` if it exists. */
  createPrivateFile(path: string, text: string): Promise<boolean>;
  randomSecret(): string;
  /** The settings of a client for each library, at a server with these settings. */
  describeClient(
    settings: Settings,
    clientId: string,
    secret?: string,
  ): Promise<readonly Omit<ClientSnippet, "name">[]>;
}

/** What a flag or a typed value means, or what was expected. */
type Parsed<Value> = { readonly value: Value } | Pick<ConfigIssue, "expected" | "hint">;

/**
 * Runs the command.
 *
 * @param args The words after `init`.
 * @returns The exit code.
 * @throws {CommandLineError} If the command line or a value is invalid, or the file exists.
 */
export async function initialize(
  args: readonly string[],
  environment: Pick<ProcessEnvironment, "env" | "mainModule" | "readTextFile">,
  { ask, createPrivateFile, randomSecret, describeClient }: InitActions,
): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) return printText(initHelpText, environment), 0;
  const flags = readFlags(args);
  const expected = "no file of this name, because this command never overwrites a file";
  const hint = "Rename or remove it, or run the command in another folder.";
  const file = flags.get("--output") ?? configFileName;
  const fileExists = () => issue(file, { expected, hint }, "an existing file");
  if (await environment.readTextFile(file).then(() => true, () => false)) throw fileExists();

  /** The value of a flag, the one typed in, or the default; `undefined` if the input ends. */
  async function choose<Value>(
    flag: string,
    question: string,
    initial: string,
    parse: (text: string) => Parsed<Value>,
  ) {
    const written = flags.get(flag);
    for (;;) {
      const input = written ?? (ask === undefined ? initial : await ask(`${question} [${initial}]: `));
      if (input === undefined) return undefined;
      const text = input.trim() || initial;
      const parsed = parse(text);
      if ("value" in parsed) return parsed.value;
      if (ask === undefined || written !== undefined) throw issue(flag, parsed, text === "" ? "none" : quote(text));
      console.error(`Expected ${parsed.expected}, received ${quote(text)}. ${parsed.hint}`);
    }
  }
  const library = await choose("--library", `Library (${titles.join(", ")})`, titles[0]!, parseLibrary);
  const usualUris = library?.redirectUris.join(" ") ?? "";
  const uris = library && await choose("--redirect-uri", "Redirect URI", usualUris, parseUris);
  const usualKind = library?.isPublic ? "public" : "confidential";
  const hasSecret = flags.has("--client-secret") && !flags.has("--kind");
  const kind = uris &&
    (hasSecret ? "confidential" : await choose("--kind", "Client (confidential, public)", usualKind, parseKind));
  if (kind === undefined) {
    console.error("\nThe input ended before the last question. Nothing was written.");
    return 1;
  }
  const { library: title, methods } = library!;
  const { "--client-id": clientId = "app", "--client-secret": own } = Object.fromEntries(flags);
  if (kind === "public" && own !== undefined) {
    const hint = "Leave out --client-secret, or --public.";
    throw issue("--client-secret", { expected: "no secret, because the client is public", hint }, "a secret");
  }
  const secret = kind === "confidential" ? own ?? randomSecret() : undefined;
  const settings = {
    clients: [{
      client_id: clientId,
      ...secret !== undefined &&
        {
          client_secret: secret,
          token_endpoint_auth_method: (["client_secret_basic", "client_secret_post"] as const).find((method) =>
            method in methods
          ),
        },
      redirect_uris: uris!,
      grant_types: ["authorization_code", "refresh_token"],
    }],
    users: demoUsers,
  };
  const issuer = `http://localhost:${port}`;
  const all = await describeClient({ ...settings, issuer }, clientId, secret);
  const { placement, text: snippet, notes } = all.find((one) => one.library === title)!;
  if (snippet === undefined) {
    throw issue(
      "latchkey init",
      { expected: `a client that ${title} supports`, hint: notes.join(" ") },
      `a ${kind} client`,
    );
  }
  const text = `${JSON.stringify({ port, ...settings }, null, 2)}\n`;
  const isNew = await createPrivateFile(file, text).catch((error) => {
    throw unwritableFile(file, error, environment, "init");
  });
  if (!isNew) throw fileExists();
  console.log([
    ...secret === undefined ? [] : [
      `${printable(file)} contains a secret: only you can read it (mode 0600). Keep it out of version control.`,
    ],
    `${printable(file)} has the client ${clientId} and the users alice and bob. ${
      file === configFileName ? "A server that starts in this folder reads it" : "This starts a server with it"
    }:`,
    `\n  ${programCommand(environment)}${
      file === configFileName ? "" : ` --config ${shellWord(file)}`
    }\n\nSettings of the application:\n`,
    `  issuer         ${issuer}`,
    `  client_id      ${clientId}`,
    ...secret === undefined ? [] : [`  client_secret  ${secret}`],
    ...uris!.map((uri, at) => `  ${at === 0 ? "redirect_uri" : "or          "}   ${uri}`),
    ...ask === undefined && !flags.has("--library")
      ? [`\nThere is no terminal to ask for the library: ${title} is assumed, and --library NAME names another.`]
      : [],
    ...[`${title} (${placement}):`, snippet, ...notes].map((part) => `\n${part}`),
  ].join("\n"));
  return 0;
}

const valueFlags: readonly string[] = ["--library", "--redirect-uri", "--client-id", "--client-secret", "--output"];

/** The values of the flags; `--kind` has that of `--confidential` and `--public`. */
function readFlags(args: readonly string[]): Map<string, string> {
  const values = new Map<string, string>();
  const isKindFlag = (flag: string) => flag === "--confidential" || flag === "--public";
  for (const word of splitWords(args, (flag, next) => !isKindFlag(flag) && !next.startsWith("--"))) {
    const { flag = word.value!, value: written } = word;
    const isKind = isKindFlag(flag) && written === undefined;
    if (!isKind && !valueFlags.includes(flag)) {
      const suggestion = suggest(flag, [...valueFlags, "--confidential", "--public"]);
      const hint = suggestion === undefined ? "latchkey init --help lists the flags." : `Did you mean ${suggestion}?`;
      const isShown = /^--[A-Za-z-]{0,40}$/.test(flag);
      const received = isShown
        ? `${flag}${written === undefined ? "" : "=…"}`
        : "another argument (hidden: it may be a secret)";
      throw issue(isShown ? flag : "command line", { expected: "a known flag", hint }, received);
    }
    const value = isKind ? flag.slice("--".length) : written ?? "";
    if (value === "") {
      throw issue(flag, { expected: "a value", hint: "latchkey init --help has an example." }, "no value");
    }
    const name = isKind ? "--kind" : flag;
    if (values.has(name)) throw issue(flag, { expected: "one value", hint: "Keep one of the flags." }, "two values");
    values.set(name, value);
  }
  return values;
}

/** Finds a library by its name, another name for it, or the beginning of a name. */
function parseLibrary(text: string): Parsed<typeof libraries[number]> {
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");
  const wanted = plain(text);
  const withNames = libraries.map((value) => {
    const { name, library, aliases = [] } = value;
    return { value, names: [name, library, ...aliases].map(plain) };
  });
  const begun = withNames.filter(({ names }) => wanted !== "" && names.some((name) => name.startsWith(wanted)));
  const found = withNames.find(({ names }) => names.includes(wanted)) ?? (begun.length === 1 ? begun[0] : undefined);
  if (found !== undefined) return found;
  const near = suggest(wanted, withNames.flatMap(({ names }) => names));
  const suggestion = withNames.find(({ names }) => near !== undefined && names.includes(near))?.value.library;
  const hint = suggestion === undefined ? "Choose curl if yours is none of them." : `Did you mean ${suggestion}?`;
  return { expected: `one of ${titles.join(", ")}`, hint };
}

function parseUris(text: string): Parsed<readonly string[]> {
  const uris = text.split(/[\s,]+/);
  return uris.map((uri) => validateRedirectUri(uri, false, [])).find(Boolean) ?? { value: uris };
}

function parseKind(text: string): Parsed<string> {
  const kind = ["confidential", "public"].find((known) => known.startsWith(text.toLowerCase()));
  return kind === undefined
    ? { expected: "confidential or public", hint: "An application on a server keeps a secret: confidential." }
    : { value: kind };
}

function issue(path: string, { expected, hint }: Pick<ConfigIssue, "expected" | "hint">, received: string) {
  return new CommandLineError([{ path, expected, received, hint }]);
}
