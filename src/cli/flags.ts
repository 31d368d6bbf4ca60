/** Reads the command line. The parser of node:util would take longer to load than this module takes to run. */

import { normalizeName, suggest } from "../core/policy/suggest.ts";
import { quote } from "../server/config/config_issue.ts";
import { replacedSettings } from "../server/config/replaced_members.ts";
import { lowerFirst } from "../server/pages/first_letter.ts";
import type { ConfigIssue } from "../core/rules/configuration_error.ts";
import { commandNames, startNames } from "./commands.ts";
import {
  exampleText,
  expectedText,
  flagName,
  type OptionFields,
  optionOfWord,
  type RawOptions,
  readOption,
} from "./options.ts";
import { type OptionName, optionNames } from "./settings.ts";
import { splitWords } from "./split_words.ts";

/** The content of the command line. */
type FlagResult =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "licenses" }
  | { readonly kind: "schema" }
  | { readonly kind: "run"; readonly options: RawOptions; readonly issues: readonly ConfigIssue[] };

/** The flags that show something instead of starting a server. */
const infoFlags = ["help", "version", "licenses", "schema"] as const;

const infoFlagOf = (flag: string) => infoFlags.find((known) => `--${known}` === flag);

const optionOf = (flag: string) =>
  flag === "-p" ? "port" : optionNames.find((known) => `--${flagName(known)}` === flag);

const flagNames = [...optionNames.map(flagName), ...infoFlags].map((name) => `--${name}`);

/**
 * Reads `--flag value` and `--flag=value`. A leading `--`, which task runners pass on, is dropped. `--help`,
 * `--version`, `--licenses` and `--schema` take precedence over everything, even over issues.
 */
export function readFlags(args: readonly string[], fields: OptionFields): FlagResult {
  const words = args[0] === "--" ? args.slice(1) : [...args];
  if (words[0] === "help") return { kind: "help" };
  if (words.length === 0) return { kind: "run", options: {}, issues: [] };

  const values = new Map<OptionName, (string | undefined)[]>();
  const issues: ConfigIssue[] = [];
  const split = splitWords(
    words,
    (flag, next) => infoFlagOf(flag) === undefined && !next.startsWith(optionOf(flag) === undefined ? "-" : "--"),
  );
  for (const { flag, value, at } of split) {
    if (flag === undefined) {
      issues.push(positionalIssue(value!, at));
      continue;
    }
    if (/^-h/.test(flag)) return { kind: "help" };
    const infoFlag = infoFlagOf(flag);
    if (infoFlag !== undefined) {
      if (value === undefined) return { kind: infoFlag };
      issues.push({ path: flag, expected: "no value", received: "one (hidden)", hint: `Write ${flag} alone.` });
      continue;
    }
    const name = optionOf(flag);
    if (name) values.set(name, [...values.get(name) ?? [], value]);
    else {issues.push(unknownFlagIssue(
        flag,
        Object.keys(fields).filter((name) => optionOf(`--${flagName(name)}`) === undefined),
      ));}
  }

  const options: RawOptions = {};
  for (const [name, [text, ...others]] of values) {
    const source = `--${flagName(name)}`;
    const hint = `Write it like ${source} ${exampleText(fields[name], text)}.`;
    const { option, issue } = others.length > 0
      ? { option: { source }, issue: repeatedFlagIssue(source, others.length + 1) }
      : text
      ? readOption(fields[name], source, text, hint)
      : {
        option: { source },
        issue: { path: source, expected: expectedText(fields[name]), received: "no value", hint },
      };
    options[name] = option;
    if (issue) issues.push(issue);
  }
  // After a misspelt command, the other words belong to that command.
  return { kind: "run", options, issues: suggestCommand(words[0]!) === undefined ? issues : issues.slice(0, 1) };
}

function repeatedFlagIssue(path: string, times: number): ConfigIssue {
  return { path, expected: "the flag once", received: `the flag ${times} times`, hint: "Keep one of them." };
}

const wordPattern = /^[a-z][a-z_-]{0,29}$/i;

/** The command that the first word probably stands for. */
function suggestCommand(word: string): string | undefined {
  return wordPattern.test(word) ? suggest(word, [...commandNames, ...startNames]) : undefined;
}

/** The argument may be part of a password that the shell split. It is shown only in the position of a command. */
function positionalIssue(value: string, at: number): ConfigIssue {
  const isWord = at === 0 && wordPattern.test(value);
  const suggestion = isWord ? suggestCommand(value) : undefined;
  return {
    path: "command line",
    expected: isWord ? "a command, or only flags" : "only flags",
    received: isWord ? quote(value) : `a word without a flag: argument ${at + 1} (hidden)`,
    hint: suggestion
      ? `Did you mean ${suggestion}?`
      : isWord
      ? `The commands are ${commandNames.join(", ")}. Without one, the server starts, and takes only flags.`
      : "Remove it, put its flag in front of it, or quote the whole value.",
  };
}

function unknownFlagIssue(written: string, settings: readonly string[]): ConfigIssue {
  const hint = proposeInstead(written.split(/[=:]/, 1)[0]!.replace(/^-+/, ""), settings);
  return { path: showFlag(written), expected: "a known flag", received: showFlag(written), hint };
}

/** What to write instead of an unknown flag: what its word stands for, or else the flag or setting of a near name. */
function proposeInstead(word: string, settings: readonly string[]): string {
  const meant = optionOfWord(word);
  if (meant !== undefined) {
    return `Did you mean --${flagName(meant.name)}${meant.text === undefined ? "" : ` ${meant.text}`}?`;
  }
  const replaced = Object.keys(replacedSettings).find((name) => normalizeName(name) === normalizeName(word));
  if (replaced !== undefined) {
    return `There is no such flag. In the configuration file, ${lowerFirst(replacedSettings[replaced]!)}`;
  }
  const isSetting = settings.some((name) => normalizeName(name) === normalizeName(word));
  const flag = isSetting ? undefined : suggest(`--${word}`, flagNames);
  if (flag !== undefined) return `Did you mean ${flag}?`;
  const setting = suggest(word, settings);
  return setting === undefined
    ? "latchkey --help lists the flags."
    : `There is no such flag. In the configuration file, write ${setting}.`;
}

/** The name of a flag, without an attached value as in `-psecret` and `--store:postgres://…`. */
function showFlag(written: string): string {
  const [name = ""] = /^(?:--[A-Za-z_-]{0,40}|-[A-Za-z]{0,3}(?![A-Za-z])|-[A-Za-z]?)/.exec(written) ?? [];
  return name === written ? name : `${name}…`;
}
