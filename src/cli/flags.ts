/** Reads the command line, by itself: the tokeniser of node:util would take longer to load than all of this to run. */

import type { ConfigIssue } from "../oauth/config/config_issue.ts";
import { optionDefinitions, type OptionName, optionNames, type RawOptions } from "./options.ts";
import { quote, showValue } from "./show.ts";
import { suggest } from "./suggest.ts";

/** What the command line asks for. */
export type FlagResult =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "licenses" }
  | { readonly kind: "schema" }
  | { readonly kind: "hash-password" }
  | { readonly kind: "run"; readonly options: RawOptions; readonly issues: readonly ConfigIssue[] };

/** What is asked of the program itself, instead of a server. */
const infoFlags = ["help", "version", "licenses", "schema"] as const;

const flagNames = [...optionNames, ...infoFlags].map((name) => `--${name}`);

/**
 * Reads `--flag value` and `--flag=value`. A lone `--` in front, as task runners pass it on, is dropped. `--help`,
 * `--version`, `--licenses` and `--schema` win over everything, faults included.
 */
export async function readFlags(args: readonly string[]): Promise<FlagResult> {
  const words = args[0] === "--" ? args.slice(1) : [...args];
  if (words.length === 0) return { kind: "run", options: {}, issues: [] };

  if (words[0] === "hash-password" && !words.includes("--help")) {
    return words.length === 1
      ? { kind: "hash-password" }
      : { kind: "run", options: {}, issues: [extraArgumentIssue(words[0])] };
  }

  const values = new Map<OptionName, (string | undefined)[]>();
  const issues: ConfigIssue[] = [];
  const terminator = words.indexOf("--");
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (at === terminator) continue;
    // A dash alone stands for a file elsewhere, and behind a lone -- nothing is a flag.
    if (!/^-./.test(word) || terminator >= 0 && at > terminator) {
      issues.push(await positionalIssue(word, at));
      continue;
    }
    if (/^-h/.test(word)) return { kind: "help" };
    const equals = word.startsWith("--") ? word.indexOf("=", "--x".length) : -1;
    const flag = equals < 0 ? word : word.slice(0, equals);
    let value = equals < 0 ? undefined : word.slice(equals + 1);
    const infoFlag = infoFlags.find((known) => `--${known}` === flag);
    if (infoFlag !== undefined) {
      if (value === undefined) return { kind: infoFlag };
      issues.push(unexpectedValueIssue(flag));
      continue;
    }
    const name = optionNames.find((known) => `--${known}` === flag);
    const next = words[at + 1];
    // Never the next flag: `--port --host x` must not make `--host` a port.
    if (value === undefined && next !== undefined && !next.startsWith(name ? "--" : "-")) {
      value = next;
      at++;
    }
    if (name) values.set(name, [...values.get(name) ?? [], value]);
    else issues.push(await unknownFlagIssue(flag));
  }

  const options: RawOptions = {};
  for (const [name, [value, ...others]] of values) {
    const issue = others.length > 0 ? repeatedFlagIssue(name, others.length + 1) : checkValue(name, value);
    options[name] = issue ? { source: `--${name}` } : { source: `--${name}`, value };
    if (issue) issues.push(issue);
  }
  return { kind: "run", options, issues };
}

function checkValue(name: OptionName, value: string | undefined): ConfigIssue | undefined {
  const definition = optionDefinitions[name];
  if (value && definition.accepts(value)) return undefined;
  return {
    path: `--${name}`,
    expected: definition.expected,
    received: value ? showValue(value, [name]) : "no value",
    hint: (value ? definition.hintFor?.(value) : undefined) ?? `Write it like --${name} ${definition.example}.`,
  };
}

function repeatedFlagIssue(name: OptionName, times: number): ConfigIssue {
  return { path: `--${name}`, expected: "the flag once", received: `it ${times} times`, hint: "Keep one of them." };
}

function unexpectedValueIssue(flag: string): ConfigIssue {
  return { path: flag, expected: "no value", received: "one (hidden)", hint: `Write ${flag} alone.` };
}

/** What came along may be the password itself. */
function extraArgumentIssue(command: string): ConfigIssue {
  return {
    path: command,
    expected: "the command alone",
    received: "more arguments (hidden)",
    hint:
      "Write it alone: it asks for the password, or reads it from a pipe, and nothing stays in the shell's history.",
  };
}

/** It may be part of a password that the shell split; only an argument in the position of a command is shown. */
async function positionalIssue(value: string, at: number): Promise<ConfigIssue> {
  const isWord = at === 0 && /^[a-z][a-z_-]{0,29}$/i.test(value);
  const suggestion = isWord ? await suggest(value, ["hash-password"]) : undefined;
  return {
    path: "command line",
    expected: "only flags",
    received: isWord ? quote(value) : `argument ${at + 1} (hidden)`,
    hint: suggestion
      ? `Did you mean ${suggestion}?`
      : "Remove it, put its flag in front of it, or quote the whole value.",
  };
}

async function unknownFlagIssue(written: string): Promise<ConfigIssue> {
  const suggestion = await suggest(written.split(/[=:]/, 1)[0]!, flagNames);
  return {
    path: showFlag(written),
    expected: "a known flag",
    received: "an unknown one",
    hint: suggestion ? `Did you mean ${suggestion}?` : `Remove it, or use one of ${flagNames.join(", ")}.`,
  };
}

/** The name part of a flag, without a value attached to it, as in `-psecret` and `--store:postgres://…`. */
function showFlag(written: string): string {
  const [name = ""] = /^(?:--[A-Za-z_-]{0,40}|-[A-Za-z]{0,3}(?![A-Za-z])|-[A-Za-z]?)/.exec(written) ?? [];
  return name === written ? name : `${name}…`;
}
