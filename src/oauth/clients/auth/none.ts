/** none: a public client sends its id only (OAuth 2.1 §3.2.1). */

import { chain } from "../../maybe_promise.ts";
import type { MaybePromise } from "../../maybe_promise.ts";
import type { Server } from "../../server.ts";
import type { Client } from "../repository.ts";
import { invalidClient, unknownClient } from "./method.ts";
import type { ClientAuth } from "./method.ts";

/** The method of requests that use no other one. */
export const none: ClientAuth = {
  method: "none",
  isUsed: ({ params }) => params.get("client_id") !== undefined,
  claimedId: ({ params }) => params.get("client_id"),
  authenticate(server, { params, identifyClient }) {
    const id = params.get("client_id");
    if (id !== undefined) return findPublicClient(server, id);
    return chain(identifyClient?.(server, params), (identifiedId) => findPublicClient(server, identifiedId));
  },
};

function findPublicClient(server: Server, id: string | undefined): MaybePromise<Client> {
  if (id === undefined) {
    throw invalidClient(
      "the request identifies no client",
      "HTTP Basic of a confidential client, or client_id in the body of a public client",
      "neither",
    );
  }
  return chain(server.clients.find(id), (client) => {
    if (client === undefined) throw unknownClient(server, id);
    if (!client.confidential) return client;
    throw invalidClient(
      `client ${id} is confidential and must authenticate`,
      client.authMethods.join(" or "),
      "client_id without authentication",
    );
  });
}
