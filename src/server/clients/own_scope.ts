/** Scope values that a client may request on its own behalf, and that no user can grant. */

import { splitScope } from "../../core/http/params.ts";
import type { CheckInput, GrantType, RequestCheck } from "../../core/server.ts";
import { type HostedClient, registeredScopeOf } from "../config/client_metadata.ts";
import type { Extension } from "../config/extension.ts";
import type { HostedServer } from "../hosted_server.ts";
import { reject } from "../rules/own_scope.ts";
import { isPermitted } from "../config/standing.ts";

/** What a client may request on its own behalf. */
function ownScopeOf(server: Pick<HostedServer, "policy">, client: HostedClient): readonly string[] {
  return isPermitted(server, client, "requestOwnScope") ? registeredScopeOf(client) : client.scope;
}

/** The client, with the scope values that it may request on its own behalf. */
function onOwnBehalf(server: Pick<HostedServer, "policy">, client: HostedClient): HostedClient {
  const scope = ownScopeOf(server, client);
  return { ...client, scope, allowsScope: (token) => client.allowsScope(token) || scope.includes(token) };
}

function withScopeOfClient<Type extends GrantType>(grantType: Type): Type {
  if (grantType.type !== "client_credentials") return grantType;
  return {
    ...grantType,
    checksScope: true,
    async authorize(server: HostedServer, request: Parameters<GrantType["authorize"]>[1]) {
      const { client } = request;
      const own = { ...request, client: onOwnBehalf(server, client) };
      return { ...await grantType.authorize(server, own), client };
    },
  };
}

/** Rejects a request for a user that names values which only the client itself can get. */
function rejectScopeOfClient({ server, client, params }: CheckInput & { readonly server: HostedServer }): void {
  const requested = splitScope(params.get("scope") ?? "");
  const ownScope = ownScopeOf(server, client);
  const disallowed = requested.filter((token) => server.policy.scopes.includes(token) && !client.allowsScope(token));
  if (!disallowed.some((token) => ownScope.includes(token))) return;
  const { id: clientId, scope: registered } = client;
  throw reject("AZ-17", { problem: "not for users", requested, registered, disallowed, clientId });
}

function withScopeOfUsers(check: RequestCheck): RequestCheck {
  const { rule, read } = check;
  if (rule !== "AZ-17") return check;
  return {
    ...check,
    read(input: CheckInput & { readonly server: HostedServer }, request) {
      rejectScopeOfClient(input);
      return read?.(input, request);
    },
  };
}

/** Clients may request some scope values only on their own behalf. */
export const ownScope: Extension = {
  name: "own_scope",
  extend: (server) => ({
    ...server,
    grantTypes: server.grantTypes.map(withScopeOfClient),
    requestChecks: server.requestChecks.map(withScopeOfUsers),
  }),
};
