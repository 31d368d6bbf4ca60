/**
 * `latchkey profile`: writes the draft of a provider's profile from its metadata document, or the draft of a
 * configuration from the export of a realm of Keycloak.
 */

import { isObject } from "../../platform/json_value.ts";
import type { ProcessEnvironment } from "../../platform/runtime/process_environment.ts";
import { extendedFields } from "../../server/assembly/extensions.ts";
import type { validateOptions } from "../../server/assembly/options.ts";
import { describeKind, printable, quote } from "../../server/config/config_issue.ts";
import { providerProfileField } from "../../server/config/provider_profile.ts";
import { DocumentError, fetchDocument, type Outbound } from "../../server/oauth/outbound.ts";
import { isTestHost } from "../../server/oauth/test_hosts.ts";
import { CommandLineError } from "../command_line_error.ts";
import { splitWords } from "../split_words.ts";
import { findForeignFormat, isRealm } from "../foreign_formats.ts";
import { readText } from "../text_file.ts";
import { keepValid } from "./keep_valid.ts";
import { profileOfMetadata } from "./profile_of_metadata.ts";
import { readRealm } from "./read_realm.ts";

const helpText = `Usage: latchkey profile SOURCE [--output FILE]

Writes the first draft of a profile, and prints what SOURCE does not say.

SOURCE is an issuer, the URL of a metadata document, or a file with one:
writes a profile, for --profile FILE.

Or it is a file with a realm that Keycloak exported: writes a configuration
file with its clients, users and roles, for --config FILE. It contains the
client secrets of the export, but no passwords.

  --output FILE   a new file, which only you can read (mode 0600); needed for
                  a realm. Otherwise the profile is printed.
`;

/** The functions by which the command interacts with its environment. */
export interface DraftActions {
  readonly fetch: Outbound;
  /** Writes a file that does not exist, with mode 0600; resolves with `false` if it exists. */
  createPrivateFile(path: string, text: string): Promise<boolean>;
  /** A new client secret. */
  randomSecret(): string;
  readonly validateOptions: typeof validateOptions;
}

/** The limits of a document from the network. */
const limits = { accept: "application/json", maxBytes: 1024 * 1024, timeoutMs: 10_000 };

/** Further notes are only counted. */
const maxNotes = 60;

/**
 * Runs the command.
 *
 * @param args The words after `profile`.
 * @returns The exit code.
 * @throws {CommandLineError} If the command line or the document is invalid, or the file exists.
 */
export async function draftProfile(
  args: readonly string[],
  { readTextFile }: Pick<ProcessEnvironment, "readTextFile">,
  { fetch, createPrivateFile, randomSecret, validateOptions }: DraftActions,
): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) return console.log(helpText.trimEnd()), 0;
  const { source, output } = readArguments(args);
  const text = /^[a-z][a-z\d+.-]*:\/\//i.test(source)
    ? await fetchText(source, fetch)
    : await readText(source, "SOURCE", readTextFile);
  if (typeof text !== "string") throw new CommandLineError([text]);
  const content = parseObject(text, source);
  const writesConfiguration = isRealm(content);
  if (!writesConfiguration && !Object.keys(content).some((name) => name === "issuer" || name.endsWith("_endpoint"))) {
    const { received, hint } = findForeignFormat("--profile", text, content) ??
      { received: "neither an issuer nor an endpoint", hint: "Use the URL of the metadata document, or the issuer." };
    throw issue(printable(source), "a metadata document, or a realm that Keycloak exported", received, hint);
  }
  if (writesConfiguration && output === undefined) {
    throw issue(
      "--output",
      "a file for the clients of the realm and their secrets",
      "no --output",
      "Add --output FILE.",
    );
  }
  const { value, notes } = writesConfiguration
    ? await readRealm(content, randomSecret, validateOptions)
    : keepValid(providerProfileField(extendedFields.paths), profileOfMetadata(content));
  // The document may be from the network: JSON itself escapes only a part of what acts on a terminal.
  const json = JSON.stringify(value, null, 2).split("\n").map(printable).join("\n");
  if (output === undefined) console.log(json);
  else if (!await createPrivateFile(output, `${json}\n`)) {
    const hint = "Rename or remove it, or choose another name.";
    throw issue(printable(output), "no file of this name, because this command never overwrites one", "a file", hint);
  }
  console.error([
    ...output === undefined ? [] : [
      `${printable(output)} is written: start with --${writesConfiguration ? "config" : "profile"} ${
        printable(output)
      }.`,
    ],
    "Check these, and add what the application relies on:",
    ...notes.slice(0, maxNotes).map((note) => `  ${note}`),
    ...notes.length > maxNotes ? [`  and ${notes.length - maxNotes} more`] : [],
  ].join("\n"));
  return 0;
}

function readArguments(args: readonly string[]): { readonly source: string; readonly output?: string } {
  const words: string[] = [];
  let output: string | undefined;
  for (const { flag, value, written } of splitWords(args)) {
    if (flag === "--output") output = value ?? "";
    else words.push(...written);
  }
  const [source, ...others] = words;
  const hint = "latchkey profile --help has the flags.";
  if (output === "") throw issue("--output", "the name of a file", "nothing", hint);
  if (source === undefined || source.startsWith("-") || others.length > 0) {
    const received = source === undefined ? "nothing" : quote(others[0] ?? source);
    throw issue("latchkey profile", "one SOURCE: an issuer, the URL of a document, or a file", received, hint);
  }
  return { source, output };
}

/** Fetches a metadata document: at its URL, or at the well-known URLs of an issuer. */
async function fetchText(source: string, fetch: Outbound): Promise<string> {
  const url = URL.canParse(source) ? new URL(source) : undefined;
  const isAllowed = url?.protocol === "https:" || url?.protocol === "http:" && isTestHost(url.hostname);
  if (url === undefined || !isAllowed || url.username !== "" || url.password !== "") {
    const expected = "an https URL without a user name, or an http URL on a test host";
    throw issue("SOURCE", expected, quote(source), "Use https, or save the document in a file and use that.");
  }
  const path = url.pathname.replace(/\/$/, "");
  const urls = path.includes("/.well-known/") ? [url.href] : [
    `${url.origin}${path}/.well-known/openid-configuration`,
    `${url.origin}/.well-known/oauth-authorization-server${path}`,
  ];
  let failure: unknown;
  for (const candidate of urls) {
    try {
      return (await fetchDocument(fetch, candidate, limits)).text;
    } catch (error) {
      failure ??= error;
    }
  }
  if (!(failure instanceof DocumentError)) throw failure;
  const { expected, received } = failure;
  throw issue(
    "SOURCE",
    printable(expected),
    printable(received),
    "Use the URL of the document, or save it in a file.",
  );
}

function parseObject(text: string, source: string): Readonly<Record<string, unknown>> {
  let content: unknown;
  try {
    content = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    const { received, hint } = findForeignFormat("--profile", text) ??
      { received: "text that is not JSON", hint: "Use the URL of the metadata document, or the issuer." };
    throw issue(printable(source), "a JSON document", received, hint);
  }
  if (isObject(content)) return content;
  const { received, hint } = findForeignFormat("--profile", text, content) ??
    { received: describeKind(content), hint: "Save the object of one provider or realm." };
  throw issue(printable(source), "a JSON object", received, hint);
}

function issue(path: string, expected: string, received: string, hint: string): CommandLineError {
  return new CommandLineError([{ path, expected, received, hint }]);
}
