/** The destination of an authorization response: without one, an error is shown on a page of this server. */

import { type Client, policyOf } from "../clients/clients.ts";
import { isUndottedScheme } from "../clients/redirect_uri.ts";
import { type Params, splitScope } from "../http/params.ts";
import type { Policy } from "../policy/policy.ts";
import { reject } from "../rules/reject.ts";
import type { Server } from "../server.ts";
import type { Recipient } from "./authorization_request.ts";
import type { RequestOrigin } from "./request_source.ts";
import { errorResponseMode, findResponseMode, rejectResponseMode, returnsState } from "./response.ts";

/**
 * Finds the client and the redirect URI of a request. Its errors are shown to the user and never sent to a redirect URI
 * (§2.3.5, §4.1.2.1: "MUST NOT automatically redirect").
 *
 * @throws {OAuthError} Also the rejection of the request source, if the parameters outside the source name no
 *   registered redirect URI.
 */
export async function findDestination(
  server: Server,
  params: Params,
  { rejection, extensions }: RequestOrigin,
): Promise<Recipient> {
  const id = singleValue(params, "client_id", "AZ-02");
  if (id === undefined) throw reject("AZ-02");
  const client = await server.clients.find(id, server);
  const redirectUri = params.get("redirect_uri");
  if (client === undefined) throw reject("AZ-02", { id, redirectUri });
  server.passed("AZ-02", id);
  if (rejection !== undefined) {
    if (redirectUri === undefined || params.isRepeated("redirect_uri")) throw rejection;
    if (!client.allowsRedirectUri(redirectUri, server)) throw rejection;
  }
  const policy = policyOf(server, client);
  const uri = singleValue(params, "redirect_uri", "AZ-06") ?? onlyRedirectUri(policy, client, params);
  if (!client.allowsRedirectUri(uri, server)) {
    throw reject("RU-01", { clientId: id, uri, registered: client.redirectUris });
  }
  server.passed("RU-01", uri);
  if (isUndottedScheme(uri)) server.observe(server, client.id, "RU-11", { uri });
  const mode = findResponseMode(policy, server.responseModes, client, params) ??
    errorResponseMode(policy, server.responseModes, client, params);
  if (mode === undefined) throw rejection ?? rejectResponseMode(policy, server.responseModes, client, params);
  const state = returnsState(params, mode) ? params.get("state") : undefined;
  return { client, destination: { uri, mode, state, extensions } };
}

function singleValue(params: Params, name: string, rule: "AZ-02" | "AZ-06"): string | undefined {
  if (params.isRepeated(name)) throw reject(rule, { repeated: name });
  return params.get(name);
}

/** The redirect URI of a request that names none. */
function onlyRedirectUri(
  policy: Policy,
  { redirectUris: registered }: Pick<Client, "redirectUris">,
  params: Params,
): string {
  const [only, ...others] = registered;
  if (splitScope(params.get("scope") ?? "").includes("openid")) throw reject("RU-07", { registered });
  if (only === undefined || others.length > 0 || policy.requireRedirectUri) {
    throw reject("RU-06", { registered, policy });
  }
  return only;
}
