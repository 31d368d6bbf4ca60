/** The part that token, revocation and introspection requests share: a form, and client authentication. */

import { HttpError } from "../http/http_error.ts";
import { parseFields, readForm } from "../http/form.ts";
import type { HttpResponse, RequestLike } from "../http/message.ts";
import type { RequestTarget } from "../http/router.ts";
import { authenticateClient } from "../oauth/clients/auth/mod.ts";
import type { Client } from "../oauth/clients/repository.ts";
import type { Server } from "../oauth/server.ts";
import { paramsFromFields } from "../oauth/params.ts";
import type { TokenRequest } from "../oauth/grants/grant_type.ts";
import { jsonError } from "./error_response.ts";
import { routeUrl } from "./endpoint.ts";
import type { App, Handlers } from "./endpoint.ts";

/** Handles a request of an authenticated client. */
type ClientRequestHandler = (server: Server, request: TokenRequest) => Promise<HttpResponse>;

/** The handlers of an endpoint for clients: POST with a form and client authentication; errors as JSON. */
export function clientEndpoint(app: App, handle: ClientRequestHandler): Handlers {
  return {
    async POST(request: RequestLike, target: RequestTarget) {
      const { server, site } = app.contextFor(request);
      let client: Client | undefined;
      try {
        rejectCredentialsInQuery(target.query);
        const parameters = paramsFromFields(await readForm(request));
        parameters.rejectRepeated("TK-04");
        const authorization = request.headers.get("authorization");
        const { address } = target.clientAddress;
        client = await authenticateClient(server, { authorization, params: parameters, address });
        return await handle(server, {
          client,
          parameters,
          method: request.method,
          get url() {
            return routeUrl(server.issuer, site.base, target.path);
          },
          header: (name) => request.headers.get(name),
        });
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

/** Rejects credentials in the query: parameters are read from the body only, and logs contain URLs (§2.4.1). */
function rejectCredentialsInQuery(query: string): void {
  if (query === "" || !parseFields(query).some(([name]) => credentialParameters.has(name))) return;
  throw new HttpError(400, "TK-03", "Credentials must be in the body, not in the URL");
}
