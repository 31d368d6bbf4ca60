/** POST /oauth2/revoke (RFC 7009 §2). */

import { json } from "../http/responses.ts";
import { requireTokenParameter, revokeToken } from "../oauth/tokens/revocation.ts";
import { answerClients } from "../app/client_endpoint.ts";
import type { Answers, Desk } from "../app/endpoint.ts";

/** The revocation endpoint. */
export function revocation(desk: Desk): Answers {
  return answerClients(desk, async (server, client, params) => {
    await revokeToken(server, client, requireTokenParameter(params, "RV-01"));
    return json(200, {});
  });
}
