/**
 * POST /oauth2/register (RFC 7591 §3) registers a client. GET, PUT and DELETE /oauth2/register/{client_id} (RFC 7592
 * §2) read, replace and delete a registration.
 */

import { readJsonObject } from "../../../platform/http/json_body.ts";
import { noContent } from "../../../platform/http/response.ts";
import { type HttpResponse, json } from "../../../core/http/message.ts";
import { deleteRegistration, registerClient, type RegisteredClient, updateRegistration } from "./registration.ts";
import { authenticateOwner, authorizeRegistration } from "./access.ts";
import type { Context } from "../../../core/http/context.ts";
import { endpointUrl } from "../../../core/http/endpoint.ts";
import { withErrors } from "../../../core/responses/error_response.ts";
import type { Handlers } from "../../../core/route.ts";
import type { HostedServer } from "../../hosted_server.ts";
import type { HostedClient } from "../../config/client_metadata.ts";
import { requireSentToken } from "../../../core/token/tokens/sent_token.ts";
import { reject } from "./rules.ts";
import { byProfile } from "../../config/server_policy.ts";

export { recordUse } from "./client_limit.ts";

/** The handlers of the registration endpoint. */
export const register: Handlers<HostedServer> = {
  async POST(context) {
    const { server, request, target } = context;
    const { address } = target.clientAddress;
    const authorization = request.headers.get("authorization");
    const isOpen = await authorizeRegistration(server, { authorization, address });
    const metadata = await readJsonObject(request, "DR-03");
    const registered = await registerClient(server, metadata, isOpen, address);
    return await withErrors(
      context,
      { client: registered.client },
      () => json(201, describeRegistration(context, registered)),
    );
  },
};

/**
 * Describes a registered client: its metadata with all defaults, its id and its credentials. The secret is present only
 * if it was just issued or sent, because the server keeps only its digest.
 */
function describeRegistration(
  context: Context<HostedServer>,
  { client, accessToken, secret }: RegisteredClient,
): Readonly<Record<string, unknown>> {
  const { metadata, registration, authMethod, secretDigest } = client;
  return {
    ...metadata,
    client_id_issued_at: registration!.issuedAt,
    client_secret: secret,
    client_secret_expires_at: secretDigest === undefined ? undefined : metadata.client_secret_expires_at ?? 0,
    token_endpoint_auth_method: authMethod,
    software_statement: registration!.softwareStatement,
    registration_access_token: accessToken,
    registration_client_uri: `${endpointUrl(context, "register")}/${client.id}`,
  };
}

export const clientConfiguration: Handlers<HostedServer> = {
  GET: (context) =>
    asOwner(
      context,
      (client, accessToken) =>
        json(200, describeRegistration(context, { client, accessToken, secret: client.assertionSecret })),
    ),
  PUT: (context) =>
    asOwner(context, async (client) => {
      const { server, request } = context;
      const metadata = await readJsonObject(request, "DR-03");
      const updated = await updateRegistration(server, client, metadata);
      return json(200, describeRegistration(context, updated));
    }),
  DELETE: (context) =>
    asOwner(context, async (client) => {
      await deleteRegistration(context.server, client);
      return noContent;
    }),
};

/** Responds to the owner of the registration that the path names. */
async function asOwner(
  context: Context<HostedServer>,
  respond: (client: HostedClient, accessToken: string) => HttpResponse | Response | Promise<HttpResponse | Response>,
): Promise<HttpResponse | Response> {
  const { server, request, target } = context;
  const id = target.path.slice(target.path.lastIndexOf("/") + 1);
  const { token } = requireSentToken(request.headers.get("authorization"), {
    missing: (facts, handling) => reject("DR-06", facts, handling),
  });
  const client = await authenticateOwner(server, id, token);
  return await withErrors(context, { client }, () => respond(client, token));
}

/** The handlers of the registration endpoint. */
export const registrationOff: Handlers = {
  GET: rejectRequest,
  POST: rejectRequest,
  PUT: rejectRequest,
  DELETE: rejectRequest,
};

/** Rejects a request. On a test host, the response contains the reason. */
function rejectRequest({ server: { policy } }: Context): never {
  const { explanations: isExplained } = policy.allows;
  throw reject("DR-12", { byProfile: byProfile(policy, "registration.mode"), isExplained }, { status: 404 });
}
