/** POST /oauth2/introspect (RFC 7662 §2): for servers, so no script of another origin may call it. */

import { json } from "../http/respond.ts";
import { refuseClient } from "../oauth/client_auth/method.ts";
import { introspect } from "../oauth/introspection.ts";
import { requireTokenParameter } from "../oauth/revocation.ts";
import { answerClients } from "./client_request.ts";
import type { Answers, Desk } from "./endpoint.ts";

/** The introspection endpoint. */
export function introspection(desk: Desk): Answers {
  return answerClients(desk, async (server, client, params) => {
    if (!client.confidential) throw refuseClient("introspection is for clients that authenticate", "a secret", "none");
    return json(200, await introspect(server, client, requireTokenParameter(params, "IN-01")));
  });
}
