/** Grant types without an earlier approval: their access tokens are for the resources that the token request names. */

import type { AuthenticatedRequest, Authorization } from "../../core/token/grants/authenticated_request.ts";
import type { Server } from "../../core/server.ts";
import { withResources } from "./resources.ts";
import type { HostedServer } from "../hosted_server.ts";

/**
 * The result of a grant type, for the resources that the request names (RFC 8707). Without it, the access token is for
 * the audience of the server, whatever the request names.
 *
 * @throws {OAuthError} If the server has no such resource, or requires one and the request has none.
 */
export async function withRequestedResources(
  server: Server,
  request: AuthenticatedRequest,
  authorization: Authorization,
): Promise<Authorization> {
  const hosted = server as HostedServer;
  const { client, params } = request;
  const resources = await hosted.resources.read(hosted, params);
  hosted.resources.observe(hosted, client, params);
  return withResources(authorization, resources);
}
