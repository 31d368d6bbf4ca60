/** The commands of the program besides the start of the server: for the help and suggestions. */

/** The arguments of each command, and what it does; the usual ones first. */
export const commands = {
  init: ["", "writes a configuration file"],
  exec: ["... -- COMMAND", "runs it, such as a test suite, beside a server"],
  check: ["LOGIN_URL ...", "attacks a client"],
  explain: ["TEXT", "explains a rule, an error or a flow"],
  faults: ["[NAME]", "lists the attacks and faults"],
  vary: ["... -- COMMAND", "as exec, beside servers that vary their responses"],
  profile: ["FILE", "imports a realm of Keycloak"],
  mcp: ["[FLAG VALUE]...", "serves tools for agents, over stdio"],
  health: ["[FLAG VALUE]...", "exits with 0 if the server is ready"],
  "hash-password": ["", "digests a password, for users[].password"],
} as const satisfies Readonly<Record<string, readonly [args: string, meaning: string]>>;

export type CommandName = keyof typeof commands;

/** Their names, in the order of the help. */
export const commandNames = Object.keys(commands) as CommandName[];
