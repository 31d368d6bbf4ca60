/**
 * Clients that are not registered, and accepted because the setting `clients` is `"any"`. The server computes such a
 * client from its id and stores nothing about it. Its standing is `unknown`, like that of a client that registered
 * itself. It authenticates with any secret or none.
 */

import { boundedCache } from "../../platform/bounded_cache.ts";
import { OAuthError } from "../../core/rules/errors.ts";
import type { FailedAuthentication } from "../../core/rules/token.ts";
import type { ClientAuth, RequestCheck } from "../../core/server.ts";
import { hostedClient, type HostedClientPolicy, type ServerClients } from "./clients.ts";
import type { HostedClient } from "../config/client_metadata.ts";
import type { Extension } from "../config/extension.ts";
import type { HostedServer } from "../hosted_server.ts";

/** Maximum number of unregistered clients in memory. */
const maxCachedClients = 1000;

/** The ids that an unregistered client may have: printable ASCII (OAuth 2.1, Appendix A.1). */
const clientIdSyntax = /^[\x20-\x7E]{1,255}$/;

/**
 * Adds a client for each id that no other client has. `list` does not return these clients.
 *
 * @param grantTypes The grant types of the server. A grant type that their standing does not allow is rejected later.
 */
function withUnregisteredClients(
  clients: ServerClients,
  policy: HostedClientPolicy,
  grantTypes: readonly string[],
): ServerClients {
  const cached = boundedCache<HostedClient>(maxCachedClients);
  let known: { others: ReadonlyMap<string, HostedClient>; all: ReadonlyMap<string, HostedClient> } | undefined;

  function unregisteredClient(id: string): HostedClient | undefined {
    const former = cached.get(id);
    if (former !== undefined || !clientIdSyntax.test(id)) return former;
    const metadata = { client_id: id, token_endpoint_auth_method: "none" } as const;
    const client: HostedClient = {
      ...hostedClient(metadata, { ...policy, acceptsAny: [...policy.acceptsAny, "redirectUris"] }),
      standing: "unknown",
      isUnregistered: true,
      // Differs from every registered client, so that neither can use what was issued to the other.
      generation: "any",
      grantTypes,
    };
    cached.set(id, client);
    known = undefined;
    return client;
  }

  return {
    ...clients,
    find: async (id, sender) => await clients.find(id, sender) ?? unregisteredClient(id),
    findHolder: async (id, sender) => await clients.findHolder(id, sender) ?? unregisteredClient(id),
    // Only ids that were used as a client_id: other text is looked up too, to detect a secret instead of an id.
    known() {
      const others = clients.known();
      if (known?.others !== others) {
        const unregistered = [...cached.values()].map((client) => [client.id, client] as const);
        known = { others, all: new Map([...unregistered, ...others]) };
      }
      return known.all;
    },
  };
}

/**
 * Returns the server. If its policy accepts any client, every id is one of a client, which authenticates with any
 * secret or with none. Such a client needs no code challenge, like a confidential one. Its refresh tokens rotate, like
 * those of public ones.
 */
export const anyClient: Extension = { name: "any_client", extend: withAnyClient };

function withAnyClient(server: HostedServer): HostedServer {
  const { policy, grantTypes, grants } = server;
  if (!policy.acceptsAny.includes("clients")) return server;
  return {
    ...server,
    clients: withUnregisteredClients(server.clients, policy, grantTypes.map(({ type }) => type)),
    clientAuthentication: server.clientAuthentication.map(withAnySecret),
    requestChecks: server.requestChecks.map(exemptUnregistered),
    grants: {
      ...grants,
      checkCode: (current, request, record) =>
        grants.checkCode(current, { ...request, client: withConfidentiality(request.client, true) }, record),
      rotates: (current, client, record) => grants.rotates(current, withConfidentiality(client, false), record),
    },
  };
}

/** Returns the client. One that is not registered gets this value of `confidential`. */
function withConfidentiality(client: HostedClient, confidential: boolean): HostedClient {
  return client.isUnregistered ? { ...client, confidential } : client;
}

function exemptUnregistered(check: RequestCheck): RequestCheck {
  const { rule, read } = check;
  if (rule !== "PK-07") return check;
  return {
    ...check,
    read: (input, request) => read?.({ ...input, client: withConfidentiality(input.client, true) }, request),
  };
}

/** The same method, but a client that is not registered authenticates with any secret: there is none to compare. */
function withAnySecret(clientAuth: ClientAuth): ClientAuth {
  const { method } = clientAuth;
  if (method !== "client_secret_basic" && method !== "client_secret_post") return clientAuth;
  return {
    ...clientAuth,
    async authenticate(server: HostedServer, credentials) {
      let unregistered: HostedClient | undefined;
      async function find(id: string): Promise<HostedClient | undefined> {
        const client = await server.clients.find(id, server);
        if (!client?.isUnregistered) return client;
        unregistered ??= client;
        return undefined;
      }
      const registered = { ...server, clients: { ...server.clients, find } };
      try {
        return await clientAuth.authenticate(registered, credentials);
      } catch (error) {
        if (unregistered === undefined || !isUnknownClient(error)) throw error;
        return { ...unregistered, confidential: true, authMethod: method, authMethods: [method] };
      }
    },
  };
}

/** Whether no reading of the credentials names a registered client. */
function isUnknownClient(error: unknown): boolean {
  const facts = error instanceof OAuthError ? error.details.facts?.() : undefined;
  return (facts as FailedAuthentication | undefined)?.failure === "unknown client";
}
