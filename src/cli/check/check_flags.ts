/** The command line of `latchkey check`: the URL of a login, flags of the check, and flags of the server. */

import { choice, type Field, type FieldsOf, flag, text, texts, whole, withDefaults } from "../../core/policy/field.ts";
import { suggest } from "../../core/policy/suggest.ts";
import { quote } from "../../server/config/config_issue.ts";
import type { ConfigIssue } from "../../core/rules/configuration_error.ts";
import { clientSecretWord, shellWord } from "../../platform/shell_word.ts";
import { tokenPlace } from "../../check/resource_application.ts";
import { type ClientCheckOptions, severitiesField } from "../../check/check_options.ts";
import type { Severity } from "../../check/effects.ts";
import { CommandLineError } from "../command_line_error.ts";
import { exampleText, expectedText, flagName, readOption } from "../options.ts";
import { describedFields, type OptionName, optionNames, type ProgramField } from "../settings.ts";
import { type CommandWord, splitWords } from "../split_words.ts";

export interface CheckFlags extends Omit<ClientCheckOptions, "client" | "loginUrl"> {
  readonly tokenIn?: string;
  readonly browser?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly redirectUri?: string;
  readonly start?: string;
  readonly restart?: string;
  readonly timeout: number;
  readonly recovery: number;
  readonly pause: number;
  readonly minutes?: number;
  readonly timeLimits: boolean;
  readonly report: "text" | "json" | "junit" | "html";
  readonly output?: string;
  readonly baseline?: string;
  readonly failOn?: readonly Severity[];
  readonly stay: boolean;
}

const url = (example: string) =>
  text([example], { expected: "an http or https URL", accepts: isWebUrl, pattern: /^https?:\/\// });

const seconds = (standard: number, min: number) =>
  whole(standard, { min, max: 600, default: standard, expected: `whole seconds from ${min} to 600` });

/** Each flag: its field, and for the help its value and its meaning. */
export const checkFlags: {
  readonly [Name in keyof FieldsOf<CheckFlags>]: readonly [FieldsOf<CheckFlags>[Name], value: string, meaning: string];
} = {
  loggedInUrl: [url("http://localhost:3000/me"), "URL", "a page that shows whether, and who, is logged in"],
  loggedInText: [text(["Alice Adams"]), "TEXT", "a text that only the page of the user has"],
  refreshUrl: [url("http://localhost:3000/refresh"), "URL", "a page where the application refreshes tokens"],
  apiUrl: [url("http://localhost:3000/orders"), "URL", "a page where it uses its access token"],
  logoutUrl: [url("http://localhost:3000/logout"), "URL", "where it logs out"],
  tokenIn: [
    text(["bearer"], { expected: "bearer, or header, query, form or cookie with a name", pattern: tokenPlace }),
    "PLACE",
    "where a resource server takes access tokens",
  ],
  browser: [text(["/usr/bin/chromium"]), "PATH", "a Chromium that runs a single-page application"],
  clientId: [text(["shop"]), "ID", "the client of the application, without a file"],
  clientSecret: [text(["shop-secret"]), "SECRET", "its secret; none for a public client"],
  redirectUri: [text(["http://localhost:3000/callback"]), "URI", "its redirect URI"],
  only: [texts(["id-token"]), "LIST", "attacks or categories, by commas or spaces"],
  except: [texts(["transport"]), "LIST", "attacks or categories to leave out"],
  start: [text(["npm run dev"]), "COMMAND", "starts the application after the server"],
  restart: [
    text(["docker compose restart --wait shop"]),
    "COMMAND",
    "restarts the application; also runs at the start",
  ],
  timeout: [seconds(10, 1), "SECONDS", "how long a login may take (10)"],
  recovery: [seconds(60, 0), "SECONDS", "how long logins may fail after an attack (60)"],
  pause: [seconds(0, 0), "SECONDS", "how long to wait before each attack (0)"],
  minutes: [
    whole(10, { min: 1, max: 1440, expected: "whole minutes from 1 to 1440" }),
    "MINUTES",
    "how long the attacks may take, most severe first",
  ],
  timeLimits: [flag(false), "on|off", "also attacks that wait for its time limits (off)"],
  report: [choice(["text", "json", "junit", "html"], { default: "text" }), "FORMAT", "text, json, junit or html"],
  output: [text(["report.xml"]), "FILE", "where the report goes (standard output)"],
  baseline: [text(["known.json"]), "FILE", "an earlier JSON report, whose failures are known"],
  failOn: [severitiesField, "LIST", "severities that fail the check (critical,high)"],
  stay: [flag(false), "on|off", "serve the report at /flows/check until Ctrl-C"],
};

const checkFields = Object.fromEntries(
  Object.entries(checkFlags).map(([name, [field]]) => [name, field]),
) as unknown as FieldsOf<CheckFlags>;

const names = Object.keys(checkFields) as (keyof CheckFlags)[];

/** The content of the command line of a check. */
export interface CheckArguments {
  readonly loginUrl: string;
  readonly flags: CheckFlags;
  readonly serverArgs: readonly string[];
  /** The command that checks the same application again with one attack, for a shell; without the secret. */
  readonly repeat: (attackId: string) => string;
}

/** The flags that a repetition of one attack does not need. */
const reportFlags: readonly string[] = ["only", "except", "report", "output", "baseline", "fail-on", "stay"];

/** Why a check has no use for a flag of the server; `undefined` if it has. */
const unusedBecause = (name: OptionName) => (describedFields[name] as ProgramField).notInCheck;

/** A flag of a command that can be repeated: `--port 9000`. */
function repeatFlag(name: string, value: string | undefined): string[] {
  if (value === undefined || reportFlags.includes(name)) return [];
  return [`--${name}`, name === flagName("clientSecret") ? clientSecretWord : shellWord(value)];
}

/**
 * Reads the words after `check`. The flags of the server are only separated; `cli/read_config.ts` reads them.
 *
 * @param program The command that starts the program in a shell.
 * @throws {CommandLineError} With all issues.
 */
export function readCheckArguments(args: readonly string[], program: string): CheckArguments {
  const issues: ConfigIssue[] = [];
  const serverArgs: string[] = [];
  const urls: string[] = [];
  const repeated: string[] = [];
  const values: Partial<Record<keyof CheckFlags, unknown>> = {};
  const words = splitWords(args);
  for (let at = 0; at < words.length; at++) {
    const { flag: written, value } = words[at]!;
    if (written === undefined) {
      urls.push(value!);
      continue;
    }
    repeated.push(...repeatFlag(written.slice(2), value));
    const name = names.find((known) => `--${flagName(known)}` === written);
    if (name === undefined) {
      const option = optionNames.find((known) => `--${flagName(known)}` === written);
      const unused = option && unusedBecause(option);
      if (option === undefined) issues.push(unknownFlagIssue(written, program));
      else if (unused !== undefined) issues.push(unusedFlagIssue(written, unused));
      else serverArgs.push(...words[at]!.written);
      continue;
    }
    const isList = checkFields[name].type === "array";
    const more = isList ? listWords(words.slice(at + 1)) : [];
    at += more.length;
    const text = isList ? [value ?? "", ...more].join(" ").split(/[\s,]+/).filter(Boolean).join(",") : value;
    const hint = `Write it like ${written} ${exampleText(checkFields[name])}.`;
    if (Object.hasOwn(values, name) && !isList) {
      issues.push({
        path: written,
        expected: "the flag once",
        received: "the flag several times",
        hint: "Keep one of them.",
      });
    } else if (text === undefined || text === "") {
      issues.push({ path: written, expected: expectedText(checkFields[name]), received: "no value", hint });
    } else {
      const { option, issue } = readOption(checkFields[name] as Field, written, text, hint);
      // A list adds to an earlier one.
      values[name] = isList ? [...values[name] as string[] ?? [], ...option.value as string[]] : option.value;
      if (issue) issues.push(issue);
    }
  }
  issues.push(...urlIssues(urls, program), ...clientIssues(values));
  if (issues.length > 0) throw new CommandLineError(issues);
  const command = [program, "check", shellWord(urls[0]!), ...repeated].join(" ");
  return {
    loginUrl: urls[0]!,
    flags: withDefaults(checkFields, values as unknown as CheckFlags),
    serverArgs,
    repeat: (attackId) => `${command} --only ${attackId}`,
  };
}

/** The words at the beginning that continue a list: neither a flag nor the URL of the login. */
function listWords(words: readonly CommandWord[]): readonly string[] {
  const end = words.findIndex(({ flag, value }) => flag !== undefined || isWebUrl(value!));
  return (end < 0 ? words : words.slice(0, end)).map(({ value }) => value!);
}

function urlIssues(urls: readonly string[], program: string): ConfigIssue[] {
  const [url] = urls;
  if (url !== undefined && urls.length === 1 && isWebUrl(url)) return [];
  return [{
    path: "command line",
    expected: "the URL that starts a login of the application",
    received: urls.length === 0 ? "none" : urls.length > 1 ? `${urls.length} words` : quote(url!.slice(0, 80)),
    hint: `Write it like ${program} check http://localhost:3000/login.`,
  }];
}

function clientIssues(
  { clientId, clientSecret, redirectUri }: Partial<Record<keyof CheckFlags, unknown>>,
): ConfigIssue[] {
  if (
    (clientId === undefined) === (redirectUri === undefined) && !(clientId === undefined && clientSecret !== undefined)
  ) {
    return [];
  }
  return [{
    path: "--client-id",
    expected: "--client-id and --redirect-uri together",
    received: clientId === undefined ? "no --client-id" : "no --redirect-uri",
    hint: "Add it, or describe the client in the file of --config.",
  }];
}

function unusedFlagIssue(written: string, reason: string): ConfigIssue {
  return {
    path: written,
    expected: `no such flag, because ${reason}`,
    received: "the flag",
    hint: "Remove it.",
  };
}

function unknownFlagIssue(written: string, program: string): ConfigIssue {
  const used = optionNames.filter((name) => unusedBecause(name) === undefined);
  const known = [...[...names, ...used].map(flagName), "help"].map((name) => `--${name}`);
  const suggestion = suggest(written, known);
  const isShown = /^--[A-Za-z-]{0,40}$/.test(written);
  return {
    path: isShown ? written : "command line",
    expected: "a known flag",
    received: isShown ? written : "another argument (hidden: it may be a secret)",
    hint: suggestion === undefined ? `${program} check --help shows all.` : `Did you mean ${suggestion}?`,
  };
}

function isWebUrl(value: string): boolean {
  return /^https?:\/\//.test(value) && URL.canParse(value);
}
