/** Settings for client libraries, ready to paste: one file per library. */

import type { Client } from "../../oauth/clients/repository.ts";
import type { ClientSnippet } from "../../ui/client_snippets.tsx";
import { clientInfo } from "./client_info.ts";
import type { ServerUrls } from "./client_info.ts";
import { aspnet } from "./aspnet.ts";
import { authJs } from "./auth_js.ts";
import { curl } from "./curl.ts";
import { go } from "./go.ts";
import { mcpSdk } from "./mcp_sdk.ts";
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
  mcpSdk,
  passport,
  spring,
  aspnet,
  go,
  python,
];

/**
 * The settings for each library; none for a client without grant types.
 *
 * @param options The secret to write, and whether the server logs in without a page.
 */
export function clientSnippets(
  server: ServerUrls,
  client: Client,
  options: { readonly secret: string; readonly autoLogin: boolean },
): ClientSnippet[] {
  if (
    !client.grantTypes.some((grantType) => grantType === "authorization_code" || grantType === "client_credentials")
  ) return [];
  const info = clientInfo(server, client, options);
  return snippetWriters.map((write) => write(info));
}
