/** The client of a request to the endpoints of shared signals, by its access token. */

import type { Context } from "../../assembly/context.ts";
import { endpointOrigin } from "../../config/issuer_urls.ts";
import type { Client } from "../../oauth/clients/repository.ts";
import { OAuthError } from "../../oauth/errors.ts";
import { requireAccessToken } from "../../oauth/tokens/bearer.ts";
import { mayReceive } from "./streams.ts";

/**
 * The client that an access token was issued to. Streams belong to it, and not to the user of the token.
 *
 * @param scopes The scope values of which the token must have one.
 * @throws {OAuthError} If the token is invalid, or the client may not have streams.
 */
export async function requireReceiver(context: Context, ...scopes: readonly [string, ...string[]]): Promise<Client> {
  const { server, request, target, endpoint } = context;
  const sent = {
    ...{ method: request.method, url: endpointOrigin(server, endpoint!) + target.path },
    connection: target.clientAddress,
    header: (name: string) => request.headers.get(name),
  };
  const { claims: { client_id: id, scope } } = await requireAccessToken(server, sent, undefined, ...scopes);
  const client = await server.clients.findHolder(id);
  const usable = scope!.split(" ").filter((value) => scopes.includes(value));
  if (client !== undefined && mayReceive(client) && usable.some((value) => client.allowsScope(value))) {
    context.clientId = id;
    return client;
  }
  throw new OAuthError("insufficient_scope", "this client may not have streams of events", {
    ...{ rule: "SS-02", expected: scopes[0], received: "a client that may not use this scope value" },
  });
}
