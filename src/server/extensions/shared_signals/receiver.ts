/** The client of a request to the endpoints of shared signals, by its access token. */

import type { Context } from "../../../core/http/context.ts";
import { withErrors } from "../../../core/responses/error_response.ts";
import type { HttpResponse } from "../../../core/http/message.ts";
import type { Client } from "../../../core/clients/clients.ts";
import { requireAccessToken, resourceRequest } from "../../../core/token/tokens/read_access_token.ts";
import { mayReceive } from "./streams.ts";
import { reject } from "./rules.ts";
import { registeredScopeOf } from "../../config/client_metadata.ts";

/**
 * Responds to a client that may have streams.
 *
 * @param scopes See {@link requireReceiver}.
 */
export async function asReceiver(
  context: Context,
  scopes: readonly [string, ...string[]],
  respond: (client: Client) => Promise<HttpResponse | Response>,
): Promise<HttpResponse | Response> {
  const client = await requireReceiver(context, ...scopes);
  return await withErrors(context, { client }, () => respond(client));
}

/**
 * The client that an access token was issued to on its own behalf, without a user.
 *
 * @param scopes The scope values of which the token must have one.
 * @throws {OAuthError} If the token is invalid or a user's, or the client may not have streams.
 */
async function requireReceiver(context: Context, ...scopes: readonly [string, ...string[]]): Promise<Client> {
  const { server } = context;
  const token = await requireAccessToken(server, resourceRequest(context), undefined, ...scopes);
  const { user, claims: { client_id: id, scope } } = token;
  if (user !== undefined) {
    throw reject("SS-02", { isOfUser: true }, { scope: "an access token of the client itself" });
  }
  const client = await server.clients.findHolder(id);
  const usable = scope!.split(" ").filter((value) => scopes.includes(value));
  if (
    client !== undefined && mayReceive(server, client) &&
    usable.some((value) => registeredScopeOf(client).includes(value))
  ) {
    return client;
  }
  throw reject("SS-02", { scope: scopes[0] }, { scope: scopes[0] });
}
