/** GET, PUT and DELETE /oauth2/register/{client_id} (RFC 7592 §2): reads, replaces and deletes a registration. */

import { readJsonObject } from "../../../platform/http/json_body.ts";
import { ofClient } from "../../../core/error_response.ts";
import { type HttpResponse, json, type ResponseLike } from "../../../core/http/message.ts";
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
  GET: (context) =>
    asOwner(
      context,
      ({ client, token }) =>
        json(200, describeRegistration(context, { client, accessToken: token, secret: client.assertionSecret })),
    ),
  PUT: (context) =>
    asOwner(context, async (owner) => {
      const { server, request } = context;
      const metadata = await readJsonObject(request, "DR-03");
      const updated = await updateRegistration(server, owner, metadata);
      return json(200, describeRegistration(context, updated));
    }),
  DELETE: (context) =>
    asOwner(context, async (owner) => {
      await deleteRegistration(context.server, owner);
      return deleted;
    }),
};

const deleted: HttpResponse = {
  status: 204,
  headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" },
  body: null,
};

/** Responds to the owner of the registration that the path names. */
async function asOwner(
  context: Context<HostedServer>,
  respond: (owner: RegistrationOwner) => ResponseLike | Promise<ResponseLike>,
): Promise<ResponseLike> {
  const { server, request, target } = context;
  const id = target.path.slice(target.path.lastIndexOf("/") + 1);
  const { token } = requireSentToken(request.headers.get("authorization"), {
    missing: (facts, handling) => reject("DR-06", facts, handling),
  });
  const owner = await authenticateOwner(server, id, token);
  return await ofClient(context, owner.client, () => respond(owner));
}
