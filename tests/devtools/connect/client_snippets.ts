/** Settings for client libraries: how tests get, run and use them. */

import { clientSnippets } from "../../../src/devtools/connect/client_snippets/mod.ts";
import type { ClientDemand } from "../../../src/devtools/connect/client_snippets/library.ts";
import type { ClientSnippet } from "../../../src/devtools/connect/pages/client_snippets.tsx";
import type { ClientMetadata, Latchkey } from "../../../src/mod.ts";
import { getRedirectLocation, openBrowser } from "../../server/applications.ts";

export const secret = "a-secret-of-32-characters-or-more";
export const grant_types = ["authorization_code", "client_credentials"];
export const redirect_uris = ["https://app.example/auth/callback/latchkey"];

/** One client for each method of authentication; `machine` is called back nowhere. */
export const clients: readonly ClientMetadata[] = [
  { client_id: "none", redirect_uris },
  {
    client_id: "client_secret_basic",
    client_secret: secret,
    redirect_uris,
    grant_types,
    token_endpoint_auth_method: "client_secret_basic",
  },
  { client_id: "unnamed", client_secret: secret, redirect_uris, grant_types },
  {
    client_id: "client_secret_post",
    client_secret: secret,
    redirect_uris,
    grant_types,
    token_endpoint_auth_method: "client_secret_post",
  },
  {
    client_id: "client_secret_jwt",
    client_secret: secret,
    redirect_uris,
    token_endpoint_auth_method: "client_secret_jwt",
  },
  { client_id: "machine", client_secret: secret, grant_types: ["client_credentials"], scope: "read write" },
];

/** The settings of a client of a server, by library. */
export function settingsOf(
  as: Latchkey,
  id: string,
  demands: readonly ClientDemand[] = [],
  ownSecret = secret,
): ReadonlyMap<string, ClientSnippet> {
  const { issuer } = as;
  const urls = {
    issuer,
    authorize: `${issuer}/oauth2/authorize`,
    token: `${issuer}/oauth2/token`,
    userinfo: `${issuer}/oauth2/userinfo`,
  };
  const all = clientSnippets(urls, as.clients.known().get(id)!, { secret: ownSecret, demands });
  return new Map(all.map((one) => [one.library, one]));
}

/** What a module exports. */
// deno-lint-ignore no-explicit-any
type Exported = Readonly<Record<string, any>>;

/** Runs the text of a module as pasted: provides its imports, returns its exports. */
export async function run(
  text: string,
  modules: Readonly<Record<string, unknown>>,
  wanted: string[] = [],
): Promise<Exported> {
  const exported = [...text.matchAll(/^export (?:async )?(?:const|function) (\w+)/gm)].map(([, name]) => name!);
  const body = text
    .replace(/^import \* as (\w+) from "([^"]+)";$/gm, `const $1 = modules["$2"];`)
    .replace(/^import (\{.*\}|\w+) from "([^"]+)";$/gm, `const $1 = modules["$2"];`)
    .replace(/^export /gm, "");
  const AsyncFunction = (async () => {}).constructor as new (
    ...args: string[]
  ) => (modules: unknown) => Promise<Exported>;
  return await new AsyncFunction("modules", `${body}\nreturn { ${[...exported, ...wanted].join(", ")} };`)(modules);
}

/** Where a browser that comes for the first time is sent from there. */
export async function leads(url: string | URL): Promise<string> {
  return await getRedirectLocation(await openBrowser()(url));
}

/** Ids and secrets that would end a literal, begin another one, or be replaced in one, somewhere. */
export const hostileTexts = [
  `"; throw 1; "`,
  `'; rm -rf /; '`,
  "`id`",
  "$(id)",
  "${7*7}",
  "#{7*7}",
  "\\",
  `\\"`,
  `\\\\"\\`,
  "\\u0022+1+\\u0022",
  "*/ /*",
  "-- \" : ' # %s {x} <b>",
  "</script><script>",
  `"""`,
  "'''",
  "@{x}",
  "%{redirect_url}",
  "a, b: [c]",
  "a${x}b",
  "a#b #c",
  'a"b',
  "a'b",
  "a\\b",
  "a\\nb\\",
  "a: b",
  " a ",
  "a%b&c=+",
  "=a=",
  `'a" b`,
];
