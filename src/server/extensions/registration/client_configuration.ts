/** GET, PUT and DELETE /oauth2/register/{client_id} (RFC 7592 §2): reads, replaces and deletes a registration. */

import { readJsonObject } from "../../../platform/http/json_body.ts";
import { type HttpResponse, json } from "../../../core/http/message.ts";
import { deleteRegistration, updateRegistration } from "./registration.ts";
import { requireSentToken } from "../../../core/tokens/sent_token.ts";
import { authenticateOwner } from "./access.ts";
import { reject } from "./rules.ts";
import type { RegistrationOwner } from "./access.ts";
import type { Context } from "../../../core/context.ts";
import type { Handlers } from "../../../core/route.ts";
import { describeRegistration } from "./register.ts";
import type { HostedServer } from "../../hosted_server.ts";

/** The handlers of the client configuration endpoint. */
export const clientConfiguration: Handlers<HostedServer> = {
  async GET(context) {
    const { client, token } = await authenticate(context);
    return json(200, describeRegistration(context, { client, accessToken: token, secret: client.assertionSecret }));
  },
  async PUT(context) {
    const owner = await authenticate(context);
    const { server, request } = context;
    const metadata = await readJsonObject(request, "DR-03");
    const updated = await updateRegistration(server, owner, metadata);
    return json(200, describeRegistration(context, updated));
  },
  async DELETE(context) {
    await deleteRegistration(context.server, await authenticate(context));
    return deleted;
  },
};

const deleted: HttpResponse = {
  status: 204,
  headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" },
  body: null,
};

async function authenticate(context: Context<HostedServer>): Promise<RegistrationOwner> {
  const { server, request, target } = context;
  const id = target.path.slice(target.path.lastIndexOf("/") + 1);
  const { token } = requireSentToken(request.headers.get("authorization"), {
    missing: (facts, handling) => reject("DR-06", facts, handling),
  });
  const owner = await authenticateOwner(server, id, token);
  context.clientId = id;
  return owner;
}
