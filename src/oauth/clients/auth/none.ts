/** none: a public client sends its id only (OAuth 2.1 §3.2.1). */

import { isPromise } from "../../maybe_promise.ts";
import { howToAuthenticate, invalidClient, unknownClient } from "./method.ts";
import type { ClientAuth } from "../../server.ts";

/** The method of requests that use no other one. */
export const none: ClientAuth = {
  method: "none",
  isUsed: ({ params }) => params.get("client_id") !== undefined,
  claimedId: ({ params }) => params.get("client_id"),
  async authenticate(server, { params, identifyClient }) {
    const id = params.get("client_id") ?? await identifyClient?.(server, params);
    if (id === undefined) {
      throw invalidClient(
        "the request identifies no client",
        "HTTP Basic of a confidential client, or client_id in the body of a public client",
        "neither",
        { fix: "Send client_id in the body, or HTTP Basic if the client has a secret." },
      );
    }
    const found = server.clients.find(id, server.sender);
    const client = isPromise(found) ? await found : found;
    if (client === undefined) throw unknownClient(server, id, "none");
    if (!client.confidential) return client;
    throw invalidClient(
      `client ${id} is confidential and must authenticate`,
      client.authMethods.join(" or "),
      "client_id without authentication",
      { fix: howToAuthenticate(client) },
    );
  },
};
