/** POST /oauth2/register (RFC 7591 §3): registers a client. */

import { readJsonObject } from "../../../platform/http/json_body.ts";
import { json } from "../../../core/http/message.ts";
import { registerClient, type RegisteredClient } from "./registration.ts";
import { authorizeRegistration } from "./access.ts";
import type { Context } from "../../../core/context.ts";
import { endpointUrl } from "../../../core/endpoint.ts";
import { ofClient } from "../../../core/error_response.ts";
import type { Handlers } from "../../../core/route.ts";
import type { HostedServer } from "../../hosted_server.ts";

/** The handlers of the registration endpoint. */
export const register: Handlers<HostedServer> = {
  async POST(context) {
    const { server, request, target } = context;
    const { address } = target.clientAddress;
    const authorization = request.headers.get("authorization");
    const isOpen = await authorizeRegistration(server, { authorization, address });
    const metadata = await readJsonObject(request, "DR-03");
    const registered = await registerClient(server, metadata, isOpen, address);
    return await ofClient(context, registered.client, () => json(201, describeRegistration(context, registered)));
  },
};

/** The response that describes a registration, with its URL. */
export function describeRegistration(
  context: Context<HostedServer>,
  registered: RegisteredClient,
): Readonly<Record<string, unknown>> {
  return clientInformation(registered, `${endpointUrl(context, "register")}/${registered.client.id}`);
}

/**
 * Describes a registered client: its metadata with all defaults, its id and its credentials. The secret is present only
 * if it was just issued or sent, because the server keeps only its digest.
 *
 * @param uri The URL of its registration.
 */
export function clientInformation(
  { client, accessToken, secret }: RegisteredClient,
  uri: string,
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
    registration_client_uri: uri,
  };
}
