/** The text of --help, in 80 columns. Loaded only for --help. */

import { profileNames } from "../server/config/profile.ts";
import { wrap } from "./operating/format_event.ts";
import { providerNames } from "../server/config/profile_field.ts";
import { commandNames, commands } from "./commands.ts";
import { variableName } from "./environment.ts";
import { configFileField, flagName, optionFields, optionHelp, optionNames } from "./options.ts";

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
    { "sub": "alice", "email": "alice@example.com", "email_verified": true }
  ],
  "scopes": ["openid", "profile", "email", "read"],
  "lifetimes": { "code": 300, "access_token": 3600 },
  "store": "sqlite:latchkey.db"
}`;

const formatRow = (flag: string, variable: string, defaultText: string) =>
  `  ${flag.padEnd(24)}${variable.padEnd(24)}${defaultText}`.trimEnd();

const fields = optionFields(configFileField().members);

/** The whole help, with a final newline. */
export const helpText = `Latchkey, an OAuth 2.1 authorization server

Usage: latchkey [FLAG VALUE]...
${
  commandNames.map((name) => {
    const [args, meaning] = commands[name];
    return `       ${`latchkey ${name} ${args}`.padEnd(34)}(${meaning})`;
  }).join("\n")
}
       npx -y deno task start [FLAG VALUE]...   (in a clone)

${formatRow("Flag", "Environment", "Default")}
${
  optionNames.map((name) => {
    const [value, otherwise] = optionHelp[name];
    const defaultText = otherwise.replace("%", String(fields[name].default));
    return formatRow(`--${flagName(name)} ${value}`, variableName(name), defaultText);
  }).join("\n")
}
  --help                show this text; -p is --port
  --version             show the version
  --licenses            show the licences of all components
  --schema              show the JSON Schema of the file, for editors

A flag overrides the environment, which overrides the file, which overrides the
default. Paths are relative to the working directory. LATCHKEY_STORE_FILE is
the path of a file that holds the value; so with every variable that is no path.
The variable LATCHKEY_CONFIG_JSON is the content of a file itself.

The inspector is the pages at /flows, which show each login step by step.

MODE is auto, which logs in the first user and approves everything, or
interactive, which shows pages for login and consent.

PROFILE, a set of values for the settings that are not set, is a standard:
${profileNames.join(", ")};
a provider:
${wrap(providerNames.join(", "), "", 79).join("\n")};
the path of a JSON file; or vary:SEED, with which each response is drawn from
what the specifications allow.

STORE keeps codes, tokens and keys: memory loses them when the server stops;
sqlite:PATH is a file; sqlite:PATH?durability=power survives a power failure
too, and is slower; postgres://… and redis://… serve any number of instances.

With two PEM files the server speaks https. Metrics, for Prometheus, have a port
of their own, at /metrics. An ADDRESS, or a network such as 10.0.0.0/8, is that
of a trusted proxy, which may send the address of the client. After a signal to
stop, the server continues for SECONDS, and /readyz reports that it is not
ready; a second signal stops it immediately.

The FILE of --config is JSON, every key optional; what --schema shows describes
them all. For example:

${exampleFile.replaceAll(/^/gm, "  ")}

Exit codes
  0  stopped by a signal, or showed the output of a flag
  1  could not start, for the reason that it prints, or failed while running
`;
