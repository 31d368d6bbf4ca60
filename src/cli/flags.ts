/** Reads the command line, by itself: the tokeniser of node:util would take longer to load than all of this to run. */

import type { Fault } from "../oauth/config/config_issue.ts";
import { type OperatorName, operatorNames, operatorRules, type Sayings } from "./option_definitions.ts";
import { quote, showValue } from "./show.ts";
import { suggest } from "./suggest.ts";

/** What the command line asks for. */
export type FlagReading =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "licenses" }
  | { readonly kind: "schema" }
  | { readonly kind: "hash-password" }
  | { readonly kind: "run"; readonly said: Sayings; readonly faults: readonly Fault[] };

/** What is asked of the program itself, instead of a server. */
const questions = ["help", "version", "licenses", "schema"] as const;

const flagNames = [...operatorNames, ...questions].map((name) => `--${name}`);

/**
 * Reads `--flag value` and `--flag=value`. A lone `--` in front, as task runners pass it on, is dropped. `--help`,
 * `--version`, `--licenses` and `--schema` win over everything, faults included.
 */
export async function readFlags(args: readonly string[]): Promise<FlagReading> {
  const given = args[0] === "--" ? args.slice(1) : [...args];
  if (given.length === 0) return { kind: "run", said: {}, faults: [] };

  if (given[0] === "hash-password" && !given.includes("--help")) {
    return given.length === 1
      ? { kind: "hash-password" }
      : { kind: "run", said: {}, faults: [argumentFault(given[0])] };
  }

  const values = new Map<OperatorName, (string | undefined)[]>();
  const faults: Fault[] = [];
  const terminator = given.indexOf("--");
  for (let at = 0; at < given.length; at++) {
    const word = given[at]!;
    if (at === terminator) continue;
    // A dash alone stands for a file elsewhere, and behind a lone -- nothing is a flag.
    if (!/^-./.test(word) || terminator >= 0 && at > terminator) {
      faults.push(await positionalFault(word, at));
      continue;
    }
    if (/^-h/.test(word)) return { kind: "help" };
    const equals = word.startsWith("--") ? word.indexOf("=", "--x".length) : -1;
    const flag = equals < 0 ? word : word.slice(0, equals);
    let value = equals < 0 ? undefined : word.slice(equals + 1);
    const question = questions.find((known) => `--${known}` === flag);
    if (question !== undefined) {
      if (value === undefined) return { kind: question };
      faults.push(superfluousFault(flag));
      continue;
    }
    const name = operatorNames.find((known) => `--${known}` === flag);
    const next = given[at + 1];
    // Never the next flag: `--port --host x` must not make `--host` a port.
    if (value === undefined && next !== undefined && !next.startsWith(name ? "--" : "-")) {
      value = next;
      at++;
    }
    if (name) values.set(name, [...values.get(name) ?? [], value]);
    else faults.push(await unknownFault(flag));
  }

  const said: Sayings = {};
  for (const [name, [value, ...others]] of values) {
    const fault = others.length > 0 ? repeatedFault(name, others.length + 1) : valueFault(name, value);
    said[name] = fault ? { place: `--${name}` } : { place: `--${name}`, value };
    if (fault) faults.push(fault);
  }
  return { kind: "run", said, faults };
}

function valueFault(name: OperatorName, value: string | undefined): Fault | undefined {
  const rule = operatorRules[name];
  if (value && rule.accepts(value)) return undefined;
  return {
    place: `--${name}`,
    expected: rule.expected,
    found: value ? showValue(value, [name]) : "no value",
    mend: (value ? rule.hint?.(value) : undefined) ?? `Write it like --${name} ${rule.example}.`,
  };
}

function repeatedFault(name: OperatorName, times: number): Fault {
  return { place: `--${name}`, expected: "the flag once", found: `it ${times} times`, mend: "Keep one of them." };
}

function superfluousFault(place: string): Fault {
  return { place, expected: "no value", found: "one (hidden)", mend: `Write ${place} alone.` };
}

/** What came along may be the password itself. */
function argumentFault(place: string): Fault {
  return {
    place,
    expected: "the command alone",
    found: "more arguments (hidden)",
    mend:
      "Write it alone: it asks for the password, or reads it from a pipe, and nothing stays in the shell's history.",
  };
}

/** It may be part of a password that the shell split; only an argument in the position of a command is shown. */
async function positionalFault(value: string, at: number): Promise<Fault> {
  const isWord = at === 0 && /^[a-z][a-z_-]{0,29}$/i.test(value);
  const meant = isWord ? await suggest(value, ["hash-password"]) : undefined;
  return {
    place: "command line",
    expected: "only flags",
    found: isWord ? quote(value) : `argument ${at + 1} (hidden)`,
    mend: meant ? `Did you mean ${meant}?` : "Remove it, put its flag in front of it, or quote the whole value.",
  };
}

async function unknownFault(written: string): Promise<Fault> {
  const meant = await suggest(written.split(/[=:]/, 1)[0]!, flagNames);
  return {
    place: showFlag(written),
    expected: "a known flag",
    found: "an unknown one",
    mend: meant ? `Did you mean ${meant}?` : `Remove it, or use one of ${flagNames.join(", ")}.`,
  };
}

/** The name part of a flag, without a value attached to it, as in `-psecret` and `--store:postgres://…`. */
function showFlag(written: string): string {
  const [name = ""] = /^(?:--[A-Za-z_-]{0,40}|-[A-Za-z]{0,3}(?![A-Za-z])|-[A-Za-z]?)/.exec(written) ?? [];
  return name === written ? name : `${name}…`;
}
