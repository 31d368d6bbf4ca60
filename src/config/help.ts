/** What --help says, in 80 columns; loaded only when somebody asks. */

import { variableName } from "./environment.ts";
import { defaults, type OperatorName, operatorNames } from "./operator.ts";

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
  "users": [
    { "sub": "alice", "name": "Alice", "email": "alice@example.com" }
  ],
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
  0  stopped when asked to, or showed help or version
  1  could not start, for faults in the configuration or for another reason that
     is told, or failed while running
`;
