/** What token, revocation and introspection requests have in common: a form, and a client that says who it is. */

import { HttpError } from "../http/http_error.ts";
import { parseFields, readForm } from "../http/form.ts";
import type { HttpResponse, RequestLike } from "../http/message.ts";
import type { RequestTarget } from "../http/router.ts";
import { authenticateClient } from "../oauth/clients/auth/mod.ts";
import type { Client } from "../oauth/clients/repository.ts";
import type { Server } from "../oauth/server.ts";
import { paramsFromFields } from "../oauth/params.ts";
import type { Params } from "../oauth/params.ts";
import { jsonError } from "./error_response.ts";
import type { App, Handlers } from "./endpoint.ts";

/** Answers a request whose client is known, or throws. */
export type ClientRequestHandler = (server: Server, client: Client, params: Params) => Promise<HttpResponse>;

/** What an endpoint for clients answers: to POST, with a form and client authentication; refusals as JSON. */
export function clientEndpoint(app: App, handle: ClientRequestHandler): Handlers {
  return {
    async POST(request: RequestLike, target: RequestTarget) {
      const { server } = app.contextFor(request);
      let client: Client | undefined;
      try {
        rejectCredentialsInQuery(target.query);
        const params = paramsFromFields(await readForm(request));
        params.rejectRepeated("TK-04");
        const authorization = request.headers.get("authorization");
        client = await authenticateClient(server, { authorization, params, address: target.clientAddress.address });
        return await handle(server, client, params);
      } catch (error) {
        return jsonError(server, target, error, client?.id);
      }
    },
    reject: (error, target, request) => jsonError(app.contextFor(request).server, target, error),
  };
}

const credentialParameters = new Set([
  ...["client_secret", "client_assertion", "code", "code_verifier", "refresh_token", "token", "password"],
]);

/** Parameters count in the body only; a credential in the address has been written into logs by now (§2.4.1). */
function rejectCredentialsInQuery(query: string): void {
  if (query === "" || !parseFields(query).some(([name]) => credentialParameters.has(name))) return;
  throw new HttpError(400, "TK-03", "Credentials must be in the body, not in the URL");
}
