/** The text of --help, in 80 columns. Loaded only for --help. */

import { profileNames } from "../server/config/strictness.ts";
import { wrap } from "./operating/wrap.ts";
import { providerNames } from "../server/config/profile_field.ts";
import { commandNames, commands } from "./commands.ts";
import { variableName } from "./environment.ts";
import { flagName } from "./options.ts";
import { describedFields, flagGroups, optionNames, type ProgramField } from "./settings.ts";

const formatRow = (flag: string, variable: string, defaultText: string) =>
  `  ${flag.padEnd(24)}${variable.padEnd(24)}${defaultText}`.trimEnd();

const rowsOf = (group: string) =>
  optionNames.filter((name) => describedFields[name].group === group).map((name) => {
    const { flag, otherwise = "%", default: value }: ProgramField = describedFields[name];
    return formatRow(`--${flagName(name)} ${flag}`, variableName(name), otherwise.replace("%", String(value)));
  });

/** The whole help, with a final newline. */
export const helpText = `Latchkey, an OAuth 2.1 authorization server

Usage: latchkey [FLAG VALUE]...   (starts the server)
       latchkey COMMAND ...

${commandNames.map((name) => `  ${`${name} ${commands[name][0]}`.padEnd(24)}${commands[name][1]}`).join("\n")}

${formatRow("Flag", "Environment", "Default")}
${Object.entries(flagGroups).map(([group, title]) => [title, ...rowsOf(group)].join("\n")).join("\n\n")}
  --help, --version, --licenses, --schema (for editors); -p is --port

Flags override the environment, which overrides the file. A variable
ending in _FILE names a file that holds the value; LATCHKEY_CONFIG_JSON is the
text of a configuration file.
PROFILE is a standard, a provider or a JSON file:
${wrap([...profileNames, ...providerNames].join(", "), "", 79).join("\n")}.
STORE is memory, sqlite:PATH, postgres://… or redis://…; --login interactive
shows the page of the profile, or of loginPage in the file.
Exit code 0: stopped by a signal; 1: could not start, or failed while running.
`;
