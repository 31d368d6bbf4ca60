/** Settings for the libraries that applications use, ready to be pasted: one line per library. */

import type { Client } from "../../oauth/clients/repository.ts";
import type { ClientSnippet } from "../../app/pages.ts";
import { clientInfo } from "./client_info.ts";
import { aspnet } from "./aspnet.ts";
import { authJs } from "./auth_js.ts";
import { curl } from "./curl.ts";
import { go } from "./go.ts";
import { oauth4webapi } from "./oauth4webapi.ts";
import { oidcClientTs } from "./oidc_client_ts.ts";
import { openidClient } from "./openid_client.ts";
import { passport } from "./passport.ts";
import { python } from "./python.ts";
import { spring } from "./spring.ts";

const snippetWriters = [
  curl,
  openidClient,
  oauth4webapi,
  authJs,
  oidcClientTs,
  passport,
  spring,
  aspnet,
  go,
  python,
];

/**
 * What each library has to be told; nothing for a client that asks for no tokens.
 *
 * @param options What to write for a secret, and whether the server answers without showing a page.
 */
export function clientSnippets(
  issuer: string,
  client: Client,
  options: { readonly secret: string; readonly autoLogin: boolean },
): ClientSnippet[] {
  if (
    !client.grantTypes.some((grantType) => grantType === "authorization_code" || grantType === "client_credentials")
  ) return [];
  const info = clientInfo(issuer, client, options);
  return snippetWriters.map((write) => write(info));
}
