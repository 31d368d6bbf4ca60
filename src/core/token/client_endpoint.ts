/** Shared by the endpoints for clients: parameters in the body only, and client authentication (OAuth 2.1 §2.4). */

import { parseFields } from "../http/form.ts";
import { HttpError, type HttpResponse } from "../http/message.ts";
import { authenticateClient, clientAuthParameters, findClaimedClient, observePostedSecret } from "./client_auth.ts";
import type { Client } from "../clients/clients.ts";
import type { AuthenticatedRequest } from "./grants/authenticated_request.ts";
import { resourceRequest } from "./tokens/read_access_token.ts";
import { withErrors } from "../responses/error_response.ts";
import { OAuthError } from "../rules/errors.ts";
import type { Params } from "../http/params.ts";
import type { Credentials, Server } from "../server.ts";
import { type Context, readParams, requestUrl } from "../http/context.ts";
import type { Handlers } from "../route.ts";
import { reject } from "../rules/reject.ts";

/** Declared as a method, so that TypeScript accepts a handler that needs a subtype of `Server`. */
type ClientRequestHandler = {
  handle(server: Server, request: AuthenticatedRequest, context: Context): Promise<HttpResponse>;
}["handle"];

interface ClientEndpointOptions {
  /** See {@link Credentials.identifyClient}. */
  readonly identifyClient?: Credentials["identifyClient"];
  /** Whether the URL of the endpoint is an audience of client assertions, besides that of the token endpoint. */
  readonly isAudience?: boolean;
  /**
   * Whether every failed authentication has a challenge, even if the client names itself in the body.
   * Default: false, because libraries that receive a challenge do not show the body.
   */
  readonly isChallenged?: boolean;
}

/** The handlers of an endpoint for clients: POST with a form and client authentication. */
export function clientEndpoint(
  handle: ClientRequestHandler,
  { identifyClient, isAudience, isChallenged }: ClientEndpointOptions = {},
): Handlers {
  return {
    async POST(context) {
      const { server, request } = context;
      rejectCredentialsInQuery(context);
      const params = await readParams(context);
      params.rejectRepeated((facts) => reject("TK-04", facts));
      const authorization = request.headers.get("authorization");
      const audience = isAudience ? requestUrl(context) : undefined;
      const sent = resourceRequest(context);
      const credentials = { ...sent, authorization, params, audience, identifyClient };
      let client: Client;
      try {
        client = await authenticateClient(server, credentials);
      } catch (error) {
        const shown = isChallenged || authorization !== null ? error : withoutChallenge(error, params);
        return await context.app.handleError(shown, context, { client: findClaimedClient(server, credentials) });
      }
      return await withErrors(context, { client }, async function respondToClient() {
        const response = await handle(server, { ...sent, client, params }, context);
        observePostedSecret(server, client, credentials);
        return response;
      });
    },
  };
}

/**
 * The failed authentication of a client that names itself in the body has no challenge (RFC 6749 §5.2), although RFC
 * 9110 §15.5.2 requires one: client libraries would show it instead of the error in the body, and browsers would ask
 * for a password.
 */
function withoutChallenge(error: unknown, params: Params): unknown {
  if (!(error instanceof OAuthError) || error.code !== "invalid_client") return error;
  const isInBody = clientAuthParameters.some(({ name }) => params.get(name) !== undefined);
  return isInBody ? new OAuthError(error.code, error.message, { ...error.details, challenge: "none" }) : error;
}

/** Rejects credentials in the query: parameters belong in the body, and logs contain URLs (§2.4.1). */
function rejectCredentialsInQuery({ app, target: { query } }: Context): void {
  if (query === "" || !parseFields(query).some(([name]) => app.credentialParameters.has(name))) return;
  throw new HttpError(400, "TK-03", "Credentials must be in the body, not in the URL");
}
