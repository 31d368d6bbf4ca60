/** Settings for client libraries, ready to paste: one file per library. */

import type { Client } from "../../../server/oauth/clients/repository.ts";
import type { ClientSnippet } from "../pages/client_snippets.tsx";
import { type ClientDemand, fillIn, type SnippetText, type SnippetValues } from "./snippet_text.ts";
import { type ServerUrls, type SnippetOptions, snippetValues } from "./values.ts";
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

/** The libraries, in the order of pages and of the help of `latchkey init`. */
export const libraries: readonly SnippetText[] = [
  ...[openidClient, oauth4webapi, authJs, expressOpenidConnect, passport, oidcClientTs, mcpSdk],
  ...[spring, aspnet, go, php, python, curl, envFile],
];

/** The settings for each library; none for a client without grant types. */
export function clientSnippets(server: ServerUrls, client: Client, options: SnippetOptions): ClientSnippet[] {
  const grantTypes = ["authorization_code", "client_credentials"];
  if (!client.grantTypes.some((grantType) => grantTypes.includes(grantType))) return [];
  const common = snippetValues(server, client, options);
  return libraries.map((library) => {
    const { name, library: title, placement, text, notes = "", quote } = library;
    const reason = unfitReason(library, common, client, options.demands);
    if (reason !== undefined) return { name, library: title, placement, notes: [reason] };
    const values = { ...common, ...library.derive?.(common) };
    return {
      ...{ name, library: title, placement },
      text: fillIn(text, values, quote),
      notes: fillIn(notes, values).split("\n").filter((note) => note !== ""),
    };
  });
}

const demandTexts: Readonly<Record<ClientDemand, string>> = {
  par: "push its authorization requests (PAR)",
  jar: "sign its authorization requests (JAR)",
  jarm: "receive signed authorization responses (JARM)",
  dpop: "bind its tokens to a key (DPoP)",
};

/** Why a library does not support a client; `undefined` if it does. */
function unfitReason(
  { webScope, methods, demands: supported = [], unfit }: SnippetText,
  values: SnippetValues,
  { authMethod, authMethods }: Client,
  demands: readonly ClientDemand[] = [],
): string | undefined {
  const { redirectUri, scopes } = values as { readonly redirectUri?: string; readonly scopes: readonly string[] };
  if (webScope !== undefined) {
    if (redirectUri === undefined) return "This client has no redirect URI, so no user can log in to it.";
    if (!/^https?:/.test(redirectUri)) {
      return "The redirect URI of this client has a private-use scheme; this library supports only http and https.";
    }
    const missing = webScope.find((value) => !scopes.includes(value));
    if (missing !== undefined) {
      return `This library always requests ${missing}, which this client is not allowed to request.`;
    }
  }
  if (methods !== undefined && !methods.some((method) => authMethods.includes(method))) {
    return `This client must authenticate with ${authMethod}, which this library does not support. Register the ` +
      `client with token_endpoint_auth_method ${methods.map((method) => JSON.stringify(method)).join(" or ")}.`;
  }
  const missing = demands.find((demand) =>
    !supported.includes(demand) && (demand === "dpop" || redirectUri !== undefined)
  );
  return missing === undefined
    ? unfit?.(values)
    : `This client must ${demandTexts[missing]}, which this library does not support.`;
}
