/** The text of `latchkey exec --help`, in 80 columns. */

import { scenarios } from "../../testing/scenarios/scenarios.ts";
import { userNames } from "../../testing/scenarios/user_names.ts";
import { wrap } from "../operating/wrap.ts";
import { exportedVariables } from "./exec_arguments.ts";

const listOf = (items: readonly { readonly name: string; readonly does: string }[]) =>
  items.flatMap(({ name, does }) => {
    return wrap(`  ${name.padEnd(20)}${does}`, " ".repeat(22), 79);
  }).join("\n");

/** The whole help, with a final newline. */
export const execHelpText = `Runs a command alongside a server on a free port, and then stops the server.

Usage: latchkey exec [FLAG VALUE]... -- COMMAND [ARGUMENT]...

       latchkey exec -- npm test
       latchkey exec \\
         --redirect-uri http://localhost:3000/callback \\
         --env AUTH_ISSUER=issuer --env AUTH_ID=client_id -- go test ./...

  --env NAME=VALUE      sets another variable (may be repeated); VALUE is one
                        of those below
  --redirect-uri URI    a redirect URI of the client app (may be repeated); a
                        logout may lead to its origin; without it the server
                        accepts any
  --report FOLDER       writes each flow with a rejection, and if the command
                        fails, those whose code was not exchanged, as HTML files
                        that need no server

The flags of the server apply (latchkey --help). Here --port is 0 by default,
--control is on, and --log is off. The variables have the first client of
--config; without clients there, it is app. A client without client_secret there
is public, and LATCHKEY_CLIENT_SECRET is not set.

The command gets these environment variables:
${Object.entries(exportedVariables).map(([value, variable]) => `  ${value.padEnd(22)}${variable}`).join("\n")}
With https, ca_file is a file with the certificate, and also
NODE_EXTRA_CA_CERTS, DENO_CERT, SSL_CERT_FILE, CURL_CA_BUNDLE and
REQUESTS_CA_BUNDLE name files with it and with the certificates they had.

Scenarios, for --scenario NAME,…
${listOf(scenarios)}

About a user: NAME:SUB, such as user-removed:bob. Default: the first user.
Your own: the path of a .json file, with a verb of the control in each step:
  { "name": "keys-gone", "does": "The keys are gone.", "steps": [
    { "after": "token", "verb": "faults.add",
      "input": { "fault": "drop", "endpoint": "jwks", "for": 10 } }] }

Names of users with --scenario user-names, typed at the login page or sent as
login_hint, with any host after the @:
${listOf(userNames.map(({ prefix, does }) => ({ name: prefix, does })))}

Exit codes
  the exit code of the command
  1  the command succeeded, but a fault that it queued did not fire, a scenario
     other than user-names had no effect, or the report could not be written
  1  the server could not start
  127  the command could not be started
`;
