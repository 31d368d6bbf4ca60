/** The command line of `latchkey init`. */

import { type ConfigIssue, ConfigurationError, suggest } from "../../oauth/config/config_issue.ts";
import { choice, text } from "../../oauth/config/field.ts";
import { exampleText, expectedText, readOption } from "../options.ts";
import { libraryNames } from "./libraries.ts";

/** The values that the command line sets. */
export interface InitFlags {
  readonly library?: string;
  readonly redirectUri?: string;
  readonly isConfidential?: boolean;
  /** Whether the defaults replace the values that no flag sets. */
  readonly yes: boolean;
}

/** The question for the library, and its flag. */
export const libraryField = choice(libraryNames, {
  hint: (value) => {
    const suggestion = suggest(String(value), libraryNames);
    return suggestion && `Did you mean ${suggestion}?`;
  },
});

/** The flags that take a value. */
export const valueFields = {
  "--library": libraryField,
  "--redirect-uri": text(["http://localhost:3000/callback"], { pattern: /./, expected: "a URI" }),
};

/** The flags that stand alone. */
export const switches = ["--confidential", "--public", "--yes"];

/** The text of `latchkey init --help`, with a final newline. */
export const initHelpText = `Usage: latchkey init [FLAG]...

Writes latchkey.json, a configuration file with one client and two users, and
prints the settings of the application. It asks for each value that no flag
sets, and never overwrites a file. If the input is not a terminal, set all
three values by flags, or add --yes.

  --library NAME        the library of the application, one of
${listLines(libraryNames).map((line) => " ".repeat(24) + line).join("\n")}
  --redirect-uri URI    where the application receives the code
  --confidential        the application keeps a secret
  --public              the application keeps no secret (browser, device)
  --yes                 take the defaults of the library, ask no questions
`;

/** Names with commas, in lines of at most 56 columns. */
function listLines(names: readonly string[]): string[] {
  return names.join(", ").match(/.{1,56}(?= |$)/g)!.map((line) => line.trim());
}

/**
 * Reads the words after `init`.
 *
 * @throws {ConfigurationError} With all issues.
 */
export function readInitFlags(args: readonly string[]): InitFlags {
  const issues: ConfigIssue[] = [];
  const values = new Map<string, unknown>();
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    const [, written = word, attached] = /^(--[^=]*)=(.*)$/s.exec(word) ?? [];
    const field = Object.hasOwn(valueFields, written) ? valueFields[written as keyof typeof valueFields] : undefined;
    if (field === undefined && !(attached === undefined && switches.includes(written))) {
      issues.push(unknownWordIssue(written));
      continue;
    }
    const repeated = values.has(written);
    if (field === undefined) {
      values.set(written, true);
    } else {
      const value = attached ?? args[++at] ?? "";
      const hint = `Write it like ${written} ${exampleText(field)}.`;
      const { option, issue } = value === "" || value.startsWith("--")
        ? { option: {}, issue: { path: written, expected: expectedText(field), received: "no value", hint } }
        : readOption(field, written, value, hint);
      values.set(written, "value" in option ? option.value : undefined);
      if (issue) issues.push(issue);
    }
    if (repeated) {
      issues.push({ path: written, expected: "the flag once", received: "the flag again", hint: "Keep one of them." });
    }
  }
  if (values.has("--confidential") && values.has("--public")) {
    issues.push({ path: "--public", expected: "one kind of client", received: "both", hint: "Keep one of the flags." });
  }
  if (issues.length > 0) throw new ConfigurationError(issues);
  return {
    library: values.get("--library") as string | undefined,
    redirectUri: values.get("--redirect-uri") as string | undefined,
    isConfidential: values.has("--confidential") ? true : values.has("--public") ? false : undefined,
    yes: values.has("--yes"),
  };
}

function unknownWordIssue(word: string): ConfigIssue {
  const known = [...Object.keys(valueFields), ...switches, "--help"];
  const suggestion = suggest(word, known);
  return {
    path: /^--[A-Za-z-]{0,40}$/.test(word) ? word : "command line",
    expected: "a known flag",
    received: "an unknown flag",
    hint: suggestion === undefined ? `Remove it, or use one of ${known.join(", ")}.` : `Did you mean ${suggestion}?`,
  };
}
