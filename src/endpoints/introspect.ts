/** POST /oauth2/introspect (RFC 7662 §2): for servers, so no script of another origin may call it. */

import { json } from "../http/responses.ts";
import { refuseClient } from "../oauth/clients/auth/method.ts";
import { introspect } from "../oauth/tokens/introspection.ts";
import { requireTokenParameter } from "../oauth/tokens/revocation.ts";
import { answerClients } from "../app/client_endpoint.ts";
import type { Answers, Desk } from "../app/endpoint.ts";

/** The introspection endpoint. */
export function introspection(desk: Desk): Answers {
  return answerClients(desk, async (server, client, params) => {
    if (!client.confidential) throw refuseClient("introspection is for clients that authenticate", "a secret", "none");
    return json(200, await introspect(server, client, requireTokenParameter(params, "IN-01")));
  });
}
