/** The page at which a user connects an account to a tool of a hosted MCP server (URL mode elicitation). */

import { subjectFor } from "../server/token/subjects.ts";
import type { Context } from "../core/http/context.ts";
import type { Handlers } from "../core/route.ts";
import { assertCsrfToken, type CsrfBinding, readSameOriginForm, withCsrfToken } from "../server/pages/csrf.ts";
import { readSession } from "../core/sessions/cookies.ts";
import { reject } from "../server/rules/mod.ts";
import { renderPage } from "../core/pages/render_page.ts";
import { redirect } from "../core/http/message.ts";
import { htmlWithForms } from "../platform/http/response.ts";
import { ConnectAccount } from "./connect_page.tsx";
import type { AccountConnection } from "./connections.ts";
import type { HostedResourceDefinition } from "./hosted_handlers.ts";

export function connectHandlers(definition: HostedResourceDefinition): Handlers {
  const render = async (context: Context, connection: AccountConnection, binding: CsrfBinding) => {
    const { tool, clientId, state } = connection;
    const props = {
      ...context.site,
      ...{ tool, state, service: definition.toolConnections[tool]! },
      client: (await context.server.clients.find(clientId))?.name ?? clientId,
      action: pathOf(definition, connection),
      fields: await withCsrfToken(context, [], binding),
    };
    return htmlWithForms(200, renderPage(ConnectAccount, props));
  };
  return {
    async GET(context) {
      const { connection, binding } = await readConnection(context, definition);
      return await render(context, connection, binding);
    },
    async POST(context) {
      const params = await readSameOriginForm(context);
      const { connection, binding } = await readConnection(context, definition);
      await assertCsrfToken(context, params, binding);
      const state = params.get("decision") === "allow" ? "connected" : "declined";
      // Since it was read, the client may have begun another request.
      assertCurrent(definition.connections.decide(connection.id, state, context.server.now()));
      // A program reads the decision from the parameters, as at the page of a device.
      const result = state === "connected" ? "result=connected" : "error=access_denied";
      return redirect("POST", `${pathOf(definition, connection)}&${result}`);
    },
  };
}

function pathOf({ connectPath }: HostedResourceDefinition, { id }: AccountConnection): string {
  return `${connectPath}?elicitation_id=${id}`;
}

/** The connection that the URL names. Only the browser of its user may open it: an attacker can send the URL on. */
async function readConnection(
  context: Context,
  { connections }: HostedResourceDefinition,
): Promise<{ readonly connection: AccountConnection; readonly binding: CsrfBinding }> {
  const { server, target } = context;
  const id = new URLSearchParams(target.query).get("elicitation_id") ?? "";
  const connection = assertCurrent(connections.findById(id, server.now()));
  const session = await readSession(context);
  const client = await server.clients.find(connection.clientId);
  const sub = session && client && await subjectFor(server, client, session.sub);
  if (session === undefined || sub !== connection.sub) {
    throw reject("MC-12", { session: session === undefined ? "none" : "of another user" }, { status: 403 });
  }
  return { connection, binding: { name: `connect ${connection.id}`, holder: session.sid } };
}

function assertCurrent(connection: AccountConnection | undefined): AccountConnection {
  if (connection !== undefined) return connection;
  throw reject("MC-12", { isUnknown: true });
}
