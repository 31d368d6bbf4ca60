/** The text of --help, in 80 columns. Loaded only for --help. */

import { variableName } from "./environment.ts";
import { flagName, optionHelp, optionNames } from "./options.ts";

/** An example of a configuration file, as the help shows it. */
export const exampleFile = `{
  "issuer": "http://localhost:9000",
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

const formatRow = (flag: string, variable: string, defaultText: string) =>
  `  ${flag.padEnd(24)}${variable.padEnd(24)}${defaultText}`.trimEnd();

/** The whole help, with a final newline. */
export const helpText = `Latchkey, an OAuth 2.1 authorization server

Usage: latchkey [FLAG VALUE]...
       latchkey hash-password            (for users[].password)
       deno task start [FLAG VALUE]...   (in a copy of the source)

${formatRow("Flag", "Environment", "Default")}
${
  optionNames.map((name) =>
    formatRow(`--${flagName(name)} ${optionHelp[name][0]}`, variableName(name), optionHelp[name][1])
  ).join("\n")
}
  --help                show this text
  --version             show the version
  --licenses            show the licences of all that is inside
  --schema              show the JSON Schema of the file, for editors

A flag beats the environment, the environment beats the file, and the file beats
the default. Paths are relative to the working directory. LATCHKEY_STORE_FILE is
the path of a file that holds the value; so with every variable that is no path.

The inspector is the pages at /flows, which show each login step by step.

MODE says who is asked to log in: auto asks nobody, the first user is logged in
and everything approved; interactive shows pages for login and consent.

STORE says where codes and keys are kept: memory forgets them when the server
stops; sqlite:PATH keeps them in a file; sqlite:PATH?durability=power keeps them
through a loss of power too, and is slower; postgres://… and redis://… serve any
number of instances.

With two PEM files the server speaks https. Metrics, for Prometheus, have a port
of their own, at /metrics. An ADDRESS, or a network such as 10.0.0.0/8, is that
of a proxy which is believed about who sent a request. When it is told to stop,
the server goes on for SECONDS, saying at /readyz that it is not ready any more;
told twice, it stops at once.

The FILE of --config is JSON, every key optional; what --schema shows describes
them all. For example:

${exampleFile.replaceAll(/^/gm, "  ")}

Exit codes
  0  stopped when asked to, or showed what a flag asks for
  1  could not start, for faults in the configuration or for another reason that
     is told, or failed while running
`;
