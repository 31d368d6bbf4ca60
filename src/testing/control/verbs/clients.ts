/** Verbs of clients. */

import { extendedClientField } from "../../../server/hosting/extensions.ts";
import type { ClientMetadata } from "../../../server/config/client_metadata.ts";
import { anyValue, list, object, record, text } from "../../../core/policy/field.ts";
import { type TestClient, testClientField, type TestClientOptions } from "../../clients.ts";
import { changeClient, type MetadataChanges, unknownClient } from "../change_client.ts";
import { defineVerb, noInput } from "../verb.ts";

/** The clients of the server. */
interface ClientList {
  /** Their metadata, without secrets; the default client first. */
  readonly clients: readonly ClientMetadata[];
}

/** A client. */
interface ClientId {
  /** The identifier of the client. */
  readonly client_id: string;
}

/** The change of a client. */
interface ClientChange extends ClientId {
  /** The members of its metadata to set, and `null` for each member to remove (RFC 7396). */
  readonly changes: MetadataChanges;
}

const example: ClientMetadata = { client_id: "web", redirect_uris: ["http://localhost:3000/cb"] };

/** Without `grant_types` a client gets no refresh token. */
const newClient: ClientMetadata = {
  ...example,
  client_secret: "web-secret",
  grant_types: ["authorization_code", "refresh_token"],
};

const metadata = record(anyValue, { ...example }, "client metadata (RFC 7591 §2)");

/**
 * Creates clients with given ids and secrets, changes, lists and removes them. A persistent store keeps them, but a
 * change of a configured client lasts until the process ends.
 */
export const clientVerbs = [
  defineVerb<TestClientOptions, TestClient>({
    name: "client",
    summary: "Registers a client, fills in defaults, and returns the client with its credentials.",
    input: testClientField,
    result: metadata as never,
    run: ({ control }, options) => control.client(options),
  }),
  defineVerb<ClientMetadata, ClientMetadata>({
    name: "clients.set",
    summary: "Creates a client with exactly this metadata, or replaces the one with this `client_id`.",
    input: { ...extendedClientField, required: ["client_id"], examples: [newClient] },
    result: metadata as never,
    run: async ({ app: { server } }, client) => (await server.clients.registered.set(client)).metadata,
  }),
  defineVerb<ClientChange, ClientMetadata>({
    name: "clients.change",
    summary:
      "Changes single members of the metadata of a client; `null` removes one. Others stay, including the secret.",
    input: object<ClientChange>(
      "ClientChange",
      {
        client_id: text(["web"]),
        changes: record(anyValue, { scope: "openid", logo_uri: null }, "members of client metadata, or null") as never,
      },
      { client_id: "web", changes: { scope: "openid", logo_uri: null } },
      { required: ["client_id", "changes"] },
    ),
    args: ["client_id", "changes"],
    result: metadata as never,
    run: async ({ app }, { client_id, changes }) => (await changeClient(app.server, client_id, changes)).metadata,
  }),
  defineVerb({
    name: "clients.all",
    summary: "Lists the clients.",
    reads: true,
    ...noInput,
    result: object<ClientList>("ClientList", { clients: list(metadata as never, [[example]]) }, { clients: [example] }),
    returns: "clients",
    run: async ({ app }) => ({ clients: (await app.server.clients.registered.list()).map(({ metadata }) => metadata) }),
  }),
  defineVerb({
    name: "clients.delete",
    summary: "Removes a client; the server no longer accepts its tokens.",
    input: object<ClientId>("ClientId", { client_id: text(["web"]) }, { client_id: "web" }, {
      required: ["client_id"],
    }),
    args: ["client_id"],
    async run({ app: { server } }, { client_id }) {
      if (await server.clients.registered.delete(client_id, "the control")) return;
      throw unknownClient(client_id);
    },
  }),
];
