/** What token, revocation and introspection requests have in common: a form, and a client that says who it is. */

import { HttpFault } from "../http/http_error.ts";
import { parseFields, readForm } from "../http/form.ts";
import type { Incoming, Reply } from "../http/message.ts";
import type { Target } from "../http/router.ts";
import { authenticateClient } from "../oauth/clients/auth/mod.ts";
import type { Client } from "../oauth/clients/repository.ts";
import type { Server } from "../oauth/server.ts";
import { readParams } from "../oauth/params.ts";
import type { Params } from "../oauth/params.ts";
import { asJson } from "./error_response.ts";
import type { Answers, Desk } from "./endpoint.ts";

/** Answers a request whose client is known, or throws. */
export type ClientRequestHandler = (server: Server, client: Client, params: Params) => Promise<Reply>;

/** What an endpoint for clients answers: to POST, with a form and client authentication; refusals as JSON. */
export function answerClients(desk: Desk, handle: ClientRequestHandler): Answers {
  return {
    async POST(request: Incoming, target: Target) {
      const { server } = desk.during(request);
      let client: Client | undefined;
      try {
        refuseCredentialsInQuery(target.query);
        const params = readParams(await readForm(request));
        params.refuseRepeats("TK-04");
        const authorization = request.headers.get("authorization");
        client = await authenticateClient(server, { authorization, params, address: target.peer.address });
        return await handle(server, client, params);
      } catch (refusal) {
        return asJson(server, target, refusal, client?.id);
      }
    },
    refuse: (fault, target, request) => asJson(desk.during(request).server, target, fault),
  };
}

const credentials = new Set([
  ...["client_secret", "client_assertion", "code", "code_verifier", "refresh_token", "token", "password"],
]);

/** Parameters count in the body only; a credential in the address has been written into logs by now (§2.4.1). */
function refuseCredentialsInQuery(query: string): void {
  if (query === "" || !parseFields(query).some(([name]) => credentials.has(name))) return;
  throw new HttpFault(400, "TK-03", "Credentials must be in the body and never in the address");
}
