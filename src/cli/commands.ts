/** The commands of the program besides the start of the server: for the help and suggestions. */

/** The arguments of each command, and what it does. */
export const commands = {
  init: ["", "writes a configuration file"],
  exec: ["... -- COMMAND", "runs it beside a server: exec --help"],
  vary: ["... -- COMMAND", "the same, varied: vary --help"],
  check: ["LOGIN_URL ...", "attacks a client; see check --help"],
  faults: ["[NAME]", "lists the attacks and faults"],
  explain: ["TEXT", "explains a rule, an error or a flow"],
  profile: ["FILE", "imports a realm; see profile --help"],
  mcp: ["[FLAG VALUE]...", "tools for agents, over stdio"],
  health: ["[FLAG VALUE]...", "exits with 0 if the server is ready"],
  "hash-password": ["", "for users[].password"],
} as const satisfies Readonly<Record<string, readonly [args: string, meaning: string]>>;

export type CommandName = keyof typeof commands;

/** Their names, in the order of the help. */
export const commandNames = Object.keys(commands) as CommandName[];
