/** POST /oauth2/token (OAuth 2.1 §3.2): the phases that all grants share, in reading order. */

import { HttpFault } from "../http/fault.ts";
import { readForm } from "../http/form.ts";
import { json } from "../http/respond.ts";
import type { Client } from "../oauth/clients.ts";
import { authenticateClient } from "../oauth/client_auth/mod.ts";
import { pickGrant } from "../oauth/grants/grant.ts";
import { grants } from "../oauth/grants/mod.ts";
import { readParams } from "../oauth/params.ts";
import { issueTokens } from "../oauth/tokens.ts";
import { asJson } from "./answer.ts";
import type { Desk, Endpoint } from "./endpoint.ts";

/** The token endpoint. */
export function tokenEndpoint({ server, site }: Desk): Endpoint {
  return {
    name: "token_endpoint",
    path: `${site.base}/oauth2/token`,
    cors: true,
    async POST(request, target) {
      let client: Client | undefined;
      try {
        refuseCredentialsInQuery(target.query);
        const params = readParams(await readForm(request));
        params.refuseRepeats("TK-04");
        const authorization = request.headers.get("authorization");
        client = await authenticateClient(server, { authorization, params, address: target.peer.address });
        const grant = pickGrant(grants, client, params);
        const authorized = await grant.authorize(server, client, params);
        return json(200, await issueTokens(server, grant.type, authorized));
      } catch (refusal) {
        return asJson(server, target, refusal, client?.id);
      }
    },
    refuse: (fault, target) => asJson(server, target, fault),
  };
}

/** Parameters count in the body only; a credential in the address has been written into logs by now (§2.4.1). */
function refuseCredentialsInQuery(query: string): void {
  if (!/(?:^|&)(?:client_secret|client_assertion|code|code_verifier|refresh_token|password)=/.test(query)) return;
  throw new HttpFault(400, "TK-03", "Credentials must be in the body and never in the address");
}
