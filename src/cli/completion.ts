/** `latchkey completion`: a script for a shell that completes the commands, flags and values of the help. */

import { ConfigurationError, quote, suggest } from "../oauth/config/config_issue.ts";
import type { Field } from "../oauth/config/field.ts";
import { checkFields, checkFlagName, type CheckFlags, checkHelp } from "./check/check_flags.ts";
import { type CommandName, commandNames, commands } from "./commands.ts";
import { infoFlags } from "./flags.ts";
import { switches, valueFields } from "./init/init_flags.ts";
import { configFileField, flagName, isPath, optionFields, optionNames } from "./options.ts";

/** The words that can follow a flag; `file`: a path. Empty: any other value, or no value. */
type Values = readonly string[] | "file";

/** Flags with their values. */
type Flags = Readonly<Record<string, Values>>;

const options = optionFields(configFileField().members);

const serverFlags: Flags = Object.fromEntries(
  optionNames.map((name) => [`--${flagName(name)}`, isPath(name) ? "file" : valuesOf(options[name])]),
);

const checkFlags: Flags = Object.fromEntries(
  (Object.keys(checkFields) as (keyof CheckFlags)[]).map((name) => [
    `--${checkFlagName(name)}`,
    checkHelp[name][0] === "FILE" ? "file" : valuesOf(checkFields[name]),
  ]),
);

const initFlags: Flags = Object.fromEntries([
  ...Object.entries(valueFields).map(([flag, field]) => [flag, valuesOf(field)]),
  ...switches.map((flag) => [flag, []]),
]);

const help: Flags = { "--help": [] };

/** The flags of the server itself. */
const startFlags: Flags = { ...serverFlags, ...Object.fromEntries(infoFlags.map((name) => [`--${name}`, []])) };

const commandFlags: Readonly<Record<CommandName, Flags>> = {
  "hash-password": help,
  init: { ...initFlags, ...help },
  health: { ...serverFlags, ...help },
  check: { ...checkFlags, ...serverFlags, ...help },
  faults: { "--json": [], ...help },
  completion: {},
};

const scripts: Readonly<Record<string, () => string>> = {
  bash: bashScript,
  // zsh can run completion functions of bash.
  zsh: () =>
    `#compdef latchkey\nautoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bashScript()}`,
  fish: fishScript,
};

const shells = Object.keys(scripts);

/**
 * The script for a shell, without a final newline.
 *
 * @param args The words after `completion`.
 * @throws {ConfigurationError} If they are not the name of one shell.
 */
export function completionScript(args: readonly string[]): string {
  const [shell = ""] = args;
  if (args.length === 1 && Object.hasOwn(scripts, shell)) return scripts[shell]!();
  const suggestion = suggest(shell, shells);
  throw new ConfigurationError([{
    path: "latchkey completion",
    expected: `one of ${shells.join(", ")}`,
    received: args.length === 1 ? quote(shell.slice(0, 80)) : `${args.length} words`,
    hint: suggestion === undefined
      ? "Write it like source <(latchkey completion bash)."
      : `Did you mean ${suggestion}?`,
  }]);
}

function valuesOf({ type, choices }: Field): readonly string[] {
  return type === "boolean" ? ["on", "off"] : choices ?? [];
}

/** All flags that take a value; a flag of several commands takes the same values in each. */
function flagsWithValues(): (readonly [flag: string, values: Values])[] {
  return Object.entries({ ...startFlags, ...checkFlags, ...initFlags }).filter(([flag]) =>
    !switches.includes(flag) && !infoFlags.some((name) => flag === `--${name}`)
  );
}

function bashScript(): string {
  const cases = flagsWithValues().map(([flag, values]) => {
    const reply = values === "file"
      ? `COMPREPLY=($(compgen -f -- "$word"))`
      : values.length === 0
      ? "COMPREPLY=()"
      : `COMPREPLY=($(compgen -W '${values.join(" ")}' -- "$word"))`;
    return `    ${flag}) ${reply}; return ;;`;
  });
  const words = commandNames.map((name) => {
    const own = name === "completion" ? shells : Object.keys(commandFlags[name]);
    return `    ${name}) words='${own.join(" ")}' ;;`;
  });
  return [
    "_latchkey() {",
    `  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"`,
    `  local words='${Object.keys(startFlags).join(" ")}'`,
    `  case "$previous" in`,
    ...cases,
    "  esac",
    `  case "\${COMP_WORDS[1]}" in`,
    ...words,
    "  esac",
    `  if [ "$COMP_CWORD" -eq 1 ]; then words="${commandNames.join(" ")} $words"; fi`,
    `  COMPREPLY=($(compgen -W "$words" -- "$word"))`,
    "}",
    "complete -F _latchkey latchkey",
  ].join("\n");
}

function fishScript(): string {
  const flagLines = (condition: string, flags: Flags) =>
    Object.entries(flags).map(([flag, values]) => {
      const takesValue = flagsWithValues().some(([name]) => name === flag);
      const argument = values === "file"
        ? " -r -F"
        : values.length > 0
        ? ` -x -a '${values.join(" ")}'`
        : takesValue
        ? " -x"
        : "";
      return `complete -c latchkey -n '${condition}' -l ${flag.slice("--".length)}${argument}`;
    });
  const isCommand = (name: string) => `__fish_seen_subcommand_from ${name}`;
  return [
    "complete -c latchkey -f",
    ...commandNames.map((name) => `complete -c latchkey -n __fish_use_subcommand -a ${name} -d '${commands[name][1]}'`),
    ...flagLines(`not ${isCommand(commandNames.join(" "))}`, startFlags),
    ...commandNames.flatMap((name) => flagLines(isCommand(name), commandFlags[name])),
    `complete -c latchkey -n '${isCommand("completion")}' -a '${shells.join(" ")}'`,
  ].join("\n");
}
