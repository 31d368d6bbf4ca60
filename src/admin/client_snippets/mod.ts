/** Settings for client libraries, ready to paste: one file per library. */

import type { Client } from "../../oauth/clients/repository.ts";
import type { ClientSnippet } from "../../ui/client_snippets.tsx";
import { clientInfo, demandUnsupportedReason } from "./client_info.ts";
import type { ClientDemand, ServerUrls, SnippetOptions, SnippetWriter } from "./client_info.ts";
import { aspnet } from "./aspnet.ts";
import { authJs } from "./auth_js.ts";
import { curl } from "./curl.ts";
import { envFile } from "./env_file.ts";
import { expressOpenidConnect } from "./express_openid_connect.ts";
import { go } from "./go.ts";
import { mcpSdk } from "./mcp_sdk.ts";
import { oauth4webapi } from "./oauth4webapi.ts";
import { oidcClientTs } from "./oidc_client_ts.ts";
import { openidClient } from "./openid_client.ts";
import { passport } from "./passport.ts";
import { php } from "./php.ts";
import { python } from "./python.ts";
import { spring } from "./spring.ts";

const allDemands: readonly ClientDemand[] = ["par", "jar", "jarm", "dpop"];

/** Each library, with the demands of the server that its settings meet. */
const snippetWriters: readonly (readonly [write: SnippetWriter, supported: readonly ClientDemand[]])[] = [
  [curl, ["par"]],
  [openidClient, allDemands],
  [oauth4webapi, allDemands],
  [authJs, []],
  [oidcClientTs, []],
  [mcpSdk, []],
  [expressOpenidConnect, []],
  [passport, []],
  [spring, []],
  // It pushes each request if metadata has the endpoint, from .NET 9 on.
  [aspnet, ["par"]],
  [go, []],
  [php, []],
  [python, []],
  [envFile, allDemands],
];

/**
 * The settings for each library; none for a client without grant types.
 */
export function clientSnippets(
  server: ServerUrls,
  client: Client,
  options: SnippetOptions,
): ClientSnippet[] {
  if (
    !client.grantTypes.some((grantType) => grantType === "authorization_code" || grantType === "client_credentials")
  ) return [];
  const info = clientInfo(server, client, options);
  return snippetWriters.map(([write, supported]) => {
    const { text, ...snippet } = write(info);
    const reason = text === undefined ? undefined : demandUnsupportedReason(info, supported);
    return reason === undefined ? { ...snippet, text } : { ...snippet, notes: [reason] };
  });
}
