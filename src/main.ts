/** The command-line program: runs a command, or starts the server. */

import { rulesReader } from "./cli/about.ts";
import { CommandLineError } from "./cli/command_line_error.ts";
import { type CommandName, formerCommands, startNames } from "./cli/commands.ts";
import { startServer } from "./cli/start_server.ts";
import { printText, terminalText } from "./cli/terminal_text.ts";
import { printableLines } from "./core/http/quote_value.ts";
import { ConfigurationError } from "./core/rules/configuration_error.ts";
import { StoreError } from "./core/store/store.ts";
import type { ReadRules } from "./devtools/rules/rules_file.ts";
import { processEnvironment } from "./platform/runtime/current_process.ts";
import type { ProcessEnvironment } from "./platform/runtime/process_environment.ts";
import { ListenError } from "./platform/runtime/serve.ts";

async function start(): Promise<void> {
  const environment = await processEnvironment();
  try {
    await main(environment);
  } catch (error) {
    const isExpected = [CommandLineError, ConfigurationError, ListenError, StoreError].some((type) =>
      error instanceof type
    );
    if (!isExpected) console.error(error);
    else {
      const text = printableLines((error as Error).message);
      console.error(terminalText(text, environment, environment.isTerminal ? environment.terminalWidth() : undefined));
    }
    environment.exit(1);
  }
}

async function main(environment: ProcessEnvironment): Promise<void> {
  const { args, unsupported, exit } = environment;
  if (unsupported !== undefined) {
    console.error(unsupported);
    exit(1);
  }
  const words = args[0] === "--" ? args.slice(1) : args;
  const readRules = rulesReader(environment, import.meta.url);
  const [word = "", ...rest] = words;
  if (Object.hasOwn(commands, word)) {
    const code = await commands[word as CommandName](rest, environment, readRules);
    // Without a code, the process ends when its output is written.
    return code === undefined ? undefined : exit(code);
  }
  if (Object.hasOwn(formerCommands, word)) {
    const issue = { path: "command line", expected: "a command", received: `${word}, which has another name now` };
    throw new CommandLineError([{ ...issue, hint: `Write ${formerCommands[word]}.` }]);
  }
  return await startServer(startNames.includes(word) ? rest : words, environment, readRules);
}

/** Runs a command with the words after its name; it may return an exit code. */
type Command = (
  args: readonly string[],
  environment: ProcessEnvironment,
  readRules: ReadRules,
) => Promise<number | void>;

/** The commands; without one, the server starts. */
const commands: Readonly<Record<CommandName, Command>> = {
  async init(args, environment) {
    const actions = await (await import("./cli/init_actions.ts")).initActions();
    const from = args.some((word) => /^--from(?:=|$)/.test(word));
    if (!from) return await (await import("./cli/init.ts")).initialize(args, environment, actions);
    return await (await import("./cli/realm/import_realm.ts")).importRealm(args, environment, actions);
  },
  exec: async (...given) => await (await import("./cli/exec/execute.ts")).execute(...given),
  check: async (...given) => await (await import("./cli/check/check_application.ts")).checkApplication(...given),
  async explain(args, environment, readRules) {
    const { explain } = await import("./cli/explain.ts");
    const { hasTerminalInput, readStandardInput } = await import("./platform/runtime/tools.ts");
    const isPiped = args[0] === "-" || args.length === 0 && !hasTerminalInput();
    const words = isPiped ? [await readStandardInput()] : args;
    printText(await explain(words, environment, readRules, fetch), environment);
  },
  mcp: async (...given) => await (await import("./cli/mcp/serve_tools.ts")).serveTools(...given),
  async health(args, environment) {
    const { checkHealth } = await import("./cli/check_health.ts");
    const { requestStatus } = await import("./platform/runtime/request_status.ts");
    return await checkHealth({ ...environment, args }, requestStatus);
  },
  async "hash-password"(args, environment) {
    printText(await (await import("./cli/hash_password.ts")).hashPassword(args), environment);
  },
};

// Not awaited: the single executable of Node is a script, which has no top-level await.
start();
