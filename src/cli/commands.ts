/** The commands of the program besides the start of the server: for the help and suggestions. */

/** The arguments of each command, and what it does; the usual ones first. */
export const commands = {
  init: ["", "writes a configuration file"],
  exec: ["... -- COMMAND", "runs COMMAND, such as tests, alongside a server"],
  check: ["LOGIN_URL ...", "attacks a client, and reports what it accepts"],
  explain: ["TEXT", "explains a rule, an error, a flow or an attack"],
  mcp: ["[FLAG VALUE]...", "serves tools for agents, over stdio"],
  health: ["[FLAG VALUE]...", "exits with 0 if the server is ready"],
  "hash-password": ["", "hashes a password, for users[].password"],
} as const satisfies Readonly<Record<string, readonly [args: string, meaning: string]>>;

export type CommandName = keyof typeof commands;

/** Words that start the server, as it starts without a command. */
export const startNames: readonly string[] = ["start", "serve"];

/** Former commands: what to write instead. */
export const formerCommands: Readonly<Record<string, string>> = {
  faults: "latchkey explain faults",
  vary: "latchkey check LOGIN_URL",
  profile: "latchkey init --from FILE",
};

/** Their names, in the order of the help. */
export const commandNames = Object.keys(commands) as CommandName[];
