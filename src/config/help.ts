/** What --help says, in 80 columns; loaded only when somebody asks. */

import { variableName } from "./environment.ts";
import { defaults, type OperatorName, operatorNames } from "./operator.ts";

/** How the process ends, for the front door and for the text below. */
export const exitCodes = {
  /** Stopped by a signal, or only asked for help or the version. */
  done: 0,
  /** Could not start, or failed while it ran. */
  failed: 1,
  /** Did not start, because of faults in the configuration. */
  misconfigured: 2,
} as const;

/** An example of a configuration file, as the help shows it. */
export const exampleFile = `{
  "issuer": "http://localhost:${defaults.port}",
  "login": "auto",
  "clients": [
    {
      "client_id": "spa",
      "redirect_uris": ["http://localhost:5173/callback"]
    },
    {
      "client_id": "web",
      "client_secret": "correct-horse-battery-staple",
      "redirect_uris": ["http://localhost:3000/callback"],
      "scope": "openid read"
    }
  ],
  "users": [{ "sub": "alice", "name": "Alice", "email": "alice@example.com" }],
  "scopes": ["openid", "profile", "email", "read"],
  "lifetimes": { "code": 300, "access_token": 3600 },
  "store": "sqlite:latchkey.db"
}`;

const flags: Readonly<Record<OperatorName, readonly [value: string, otherwise: string]>> = {
  port: ["NUMBER", `${defaults.port}; 0 takes any free port`],
  host: ["NAME", defaults.host],
  issuer: ["URL", "http://localhost:PORT"],
  store: ["STORE", `${defaults.store}, or sqlite:PATH`],
  config: ["FILE", "no file"],
};

const columns = (flag: string, variable: string, otherwise: string) =>
  `  ${flag.padEnd(17)}${variable.padEnd(19)}${otherwise}`.trimEnd();

/** The whole help, with a final newline. */
export const helpText = `Latchkey, an OAuth 2.1 authorization server

Usage: latchkey [FLAG VALUE]...
       deno task start [FLAG VALUE]...   (in a copy of the source)

${columns("Flag", "Environment", "Default")}
${operatorNames.map((name) => columns(`--${name} ${flags[name][0]}`, variableName(name), flags[name][1])).join("\n")}
  --help           show this text
  --version        show the version

A flag beats the environment, the environment beats the file, and the file beats
the default. Paths are relative to the working directory.

STORE says where codes and keys are kept: memory forgets them when the server
stops; sqlite:PATH keeps them in a file; sqlite:PATH?durability=power keeps them
through a loss of power too, and is slower.

FILE is JSON, every key of it optional; static/config.schema.json describes them
all. For example:

${exampleFile.replaceAll(/^/gm, "  ")}

Exit codes
  ${exitCodes.done}  stopped when asked to, or showed help or version
  ${exitCodes.failed}  could not start, or failed while running
  ${exitCodes.misconfigured}  the configuration has faults; all of them are shown
`;
