/** How every script here is called: what it says of itself, what it may be told, and how it refuses. */

import process from "node:process";
import { parseArgs, type ParseArgsConfig } from "node:util";

/** What is said without a stack trace, because whoever runs the script can mend it: the sentence is the whole of it. */
export class CommandError extends Error {}

/** Ends the script with a sentence and exit code 1; of an error that nobody expected, with all that is known of it. */
export function exitWithError(reason: unknown): never {
  console.error(reason instanceof CommandError ? reason.message : reason);
  process.exit(1);
}

/** A flag, which is there or not, unless its value has a name; or words without a flag. */
export interface Option {
  /** What it does. */
  readonly does: string;
  /** What the help calls its value, such as FILE. */
  readonly value?: string;
  /** The values that there are. */
  readonly oneOf?: readonly string[];
  /** The same where commas may stand between several. */
  readonly someOf?: readonly string[];
}

/** Flags by their names, without dashes. */
export type Options = Readonly<Record<string, Option>>;

/** What a script says of itself. */
export interface Command<Flags extends Options = Options> {
  /** How it is called: `deno task test`. */
  readonly call: string;
  /** What it does, in a sentence or two. */
  readonly does: string;
  readonly flags?: Flags;
  /** What may stand behind the flags, any number of times; without it nothing may. */
  readonly words?: Option & { readonly value: string };
}

/** What one option was given. */
type OptionValue<One extends Option> = One extends { oneOf: readonly (infer Word)[] } ? Word | undefined
  : One extends { someOf: readonly (infer Word)[] } ? readonly Word[] | undefined
  : One extends { value: string } ? string | undefined
  : boolean;

/** What a script was told. */
export interface ParsedCommand<Flags extends Options> {
  readonly flags: { readonly [Name in keyof Flags]: OptionValue<Flags[Name]> };
  readonly words: readonly string[];
}

/** What this script was told. Prints the help and ends where that is asked for, and refuses what it does not know. */
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
 * Reads the words of a command line; `undefined` where the help is asked for.
 *
 * @throws {CommandError} With one sentence that says what was expected and what came.
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
    // The runtimes add advice, about positional arguments, that is of no use here.
    throw new CommandError(`${(error as Error).message.split(/\. |\.?\n/)[0]}; ${call} --help shows what there is.`);
  }
  const { help, ...values } = parsed.values;
  if (help) return undefined;
  const checked = Object.entries(values).map((
    [name, value],
  ) => [name, assertAllowed(`--${name}`, flags[name]!, value)]);
  for (const word of parsed.positionals) assertAllowed(words!.value, words!, word);
  return { flags: Object.fromEntries(checked) as ParsedCommand<Flags>["flags"], words: parsed.positionals };
}

/** The value itself, or the values in it, if there are such ones. */
function assertAllowed(label: string, { oneOf, someOf }: Option, value: unknown): unknown {
  const [expected, received] = [oneOf ?? someOf, someOf === undefined ? [value] : String(value).split(",")];
  const unknownValue = expected && received.find((one) => !expected.includes(String(one)));
  if (unknownValue === undefined) return someOf === undefined ? value : received;
  throw new CommandError(`${label}: expected ${expected!.join(", ")}; found ${JSON.stringify(unknownValue)}.`);
}

/** How many columns the help takes. */
const helpColumns = 80;

/** What `--help` prints: what the script does, how it is called, and a line or more for each option. */
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

/** Lines of so many columns, broken between words. */
function wrap(text: string, width: number): string[] {
  return text.match(new RegExp(`\\S.{0,${width - 1}}(?= |$)`, "g")) ?? [];
}
