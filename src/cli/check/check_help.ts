/** The text of `latchkey check --help` and `latchkey explain faults --help`, in 80 columns. */

import { flagName } from "../options.ts";
import { checkFlags } from "./check_flags.ts";

const rows = Object.entries(checkFlags).map(([name, [, value, meaning]]) =>
  `  ${`--${flagName(name)} ${value}`.padEnd(28)}${meaning}`
);

/** The help of `latchkey check`, with a final newline. */
export const checkHelpText = `Usage: latchkey check LOGIN_URL [FLAG VALUE]...

Attacks an application in any language that has this server as its issuer, and
reports what it withstands. The command starts the server, opens LOGIN_URL as a
browser does, logs in the default user, and does so once for each attack. It
waits up to 30 seconds for the application, which can start after it.

${rows.join("\n")}

Flags of the server apply too, above all --port, --issuer, --config and --user:
the issuer, and the client with its redirect URI, must be those that the
application is configured with. Everything is kept in memory, every login is
automatic, and flags that say something else are rejected.

The page at --logged-in-url is requested after each login. It must differ for
users who are logged in, best by a status such as 401 without a login. Default:
the page where the login ends. --logged-in-text is by default the e-mail
address, name or sub of the user, if the page shows one of them. An attack is
skipped if the page does not show whether the login succeeded.

--start has a command such as "npm run dev": it runs in the shell after the
server has started, and ends with the check. Attacks on metadata and keys that
the application reads only at its start restart it by this command, or by
--restart, a command that ends when the application is up again. Without both
they are skipped. Without --minutes, restarts take at most twice as long as the
rest of a check.

--browser runs the scripts of a single-page application, whose page must show
the user. It clicks "Log in" or "Sign in" if the page waits for that.

With --token-in, LOGIN_URL is a URL of a resource server, such as an API. Each
request has an access token there: bearer (the header Authorization), or
header:NAME, query:NAME, form:NAME or cookie:NAME.

--baseline is a file of --report json --output FILE: what failed in it does not
fail again, by variant.

Ctrl-C ends the check with the report of what is known until then.

Exit codes
  0  the login works, and nothing failed with a severity of --fail-on that the
     baseline does not have; a required practice that is missing is medium
  1  something did, the login failed, most of what applies was skipped, the
     check was stopped, or the command could not start
`;

/** The help of `latchkey explain faults`, with a final newline. */
export const faultsHelpText = `Usage: latchkey explain faults [NAME] [--json]

Lists the faults of the mock, which are the attacks of latchkey check, and best
practices of clients. With NAME, which is a category such as id-token or
practices, an id or all: level or endpoints, title, what a correct client does,
and parameters. --json prints one JSON object.
`;
