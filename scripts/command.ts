/** Command line of every script: description, options, errors. */

import process from "node:process";
import { parseArgs, type ParseArgsConfig } from "node:util";

/** An error that the user of a script can fix. Printed without a stack trace. */
export class CommandError extends Error {}

/** Ends the script with exit code 1. Prints a sentence, or for an unexpected error all details. */
export function exitWithError(reason: unknown): never {
  console.error(reason instanceof CommandError ? reason.message : reason);
  process.exit(1);
}

/** A flag: boolean, unless its value has a name. Or positional arguments. */
export interface Option {
  /** Description for the help. */
  readonly does: string;
  /** Name of the value in the help, such as FILE. */
  readonly value?: string;
  /** Allowed values. */
  readonly oneOf?: readonly string[];
  /** Allowed values of a comma-separated list. */
  readonly someOf?: readonly string[];
}

/** Options by name, without dashes. */
export type Options = Readonly<Record<string, Option>>;

/** Description of a script. */
export interface Command<Flags extends Options = Options> {
  /** Command: `deno task test`. */
  readonly call: string;
  /** Purpose, in one or two sentences. */
  readonly does: string;
  readonly flags?: Flags;
  /** Positional arguments, any number. Default: none. */
  readonly words?: Option & { readonly value: string };
}

/** Parsed value of one option. */
type OptionValue<One extends Option> = One extends { oneOf: readonly (infer Word)[] } ? Word | undefined
  : One extends { someOf: readonly (infer Word)[] } ? readonly Word[] | undefined
  : One extends { value: string } ? string | undefined
  : boolean;

/** Parsed command line. */
export interface ParsedCommand<Flags extends Options> {
  readonly flags: { readonly [Name in keyof Flags]: OptionValue<Flags[Name]> };
  readonly words: readonly string[];
}

/** Parses the command line of this script. Prints the help if requested, and rejects unknown options. */
export function readCommand<const Flags extends Options>(command: Command<Flags>): ParsedCommand<Flags> {
  try {
    const parsed = parseCommand(command, process.argv.slice(2));
    if (parsed !== undefined) return parsed;
    console.log(formatHelp(command));
    process.exit(0);
  } catch (error) {
    exitWithError(error);
  }
}

/**
 * Parses a command line; `undefined` if the help is requested.
 *
 * @throws {CommandError} With one sentence that names the expected and the received value.
 */
export function parseCommand<const Flags extends Options>(
  command: Command<Flags>,
  args: readonly string[],
): ParsedCommand<Flags> | undefined {
  const { call, words } = command;
  const flags: Options = command.flags ?? {};
  const options: NonNullable<ParseArgsConfig["options"]> = { help: { type: "boolean" } };
  for (const [name, { value }] of Object.entries(flags)) {
    options[name] = value === undefined ? { type: "boolean", default: false } : { type: "string" };
  }
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: words !== undefined });
  } catch (error) {
    // Omits the runtime's advice about positional arguments, which does not apply.
    throw new CommandError(`${(error as Error).message.split(/\. |\.?\n/)[0]}; ${call} --help shows the options.`);
  }
  const { help, ...values } = parsed.values;
  if (help) return undefined;
  const checked = Object.entries(values).map((
    [name, value],
  ) => [name, assertAllowed(`--${name}`, flags[name]!, value)]);
  for (const word of parsed.positionals) assertAllowed(words!.value, words!, word);
  return { flags: Object.fromEntries(checked) as ParsedCommand<Flags>["flags"], words: parsed.positionals };
}

/** Returns the value, or the values of a list, if allowed. */
function assertAllowed(label: string, { oneOf, someOf }: Option, value: unknown): unknown {
  const [expected, received] = [oneOf ?? someOf, someOf === undefined ? [value] : String(value).split(",")];
  const unknownValue = expected && received.find((one) => !expected.includes(String(one)));
  if (unknownValue === undefined) return someOf === undefined ? value : received;
  throw new CommandError(`${label}: expected ${expected!.join(", ")}; found ${JSON.stringify(unknownValue)}.`);
}

/** Width of the help, in columns. */
const helpColumns = 80;

/** Text of `--help`: purpose, usage, and each option. */
export function formatHelp({ call, does, flags = {}, words }: Command): string {
  const rows = Object.entries(flags).map(([name, { value, does }]) => ({
    left: value === undefined ? `--${name}` : `--${name} ${value}`,
    right: does,
  }));
  const usage = [call, ...rows.length > 0 ? ["[FLAG]..."] : [], ...words ? [`[${words.value}]...`] : []].join(" ");
  if (words) rows.push({ left: words.value, right: words.does });
  const indent = 5 + Math.max(0, ...rows.map(({ left }) => left.length));
  const lines = rows.map(({ left, right }) =>
    `  ${left}`.padEnd(indent) + wrap(right, helpColumns - indent).join(`\n${" ".repeat(indent)}`)
  );
  return `${wrap(does, helpColumns).join("\n")}\n\nUsage: ${usage}\n\n${lines.join("\n")}`.trimEnd();
}

/** Breaks text between words into lines of this width. */
function wrap(text: string, width: number): string[] {
  return text.match(new RegExp(`\\S.{0,${width - 1}}(?= |$)`, "g")) ?? [];
}
