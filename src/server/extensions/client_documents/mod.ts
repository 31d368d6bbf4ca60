/**
 * Client ID metadata documents: a client without a registration, whose `client_id` is the URL of its metadata
 * (draft-ietf-oauth-client-id-metadata-document-02).
 */

import type { Extension } from "../../hosting/extension.ts";
import type { Client } from "../../../core/clients/repository.ts";
import type { ServerClients } from "../../../core/clients/server_clients.ts";
import type { Server } from "../../../core/server.ts";
import type { Sender } from "../../../core/sender.ts";
import type { DocumentClients } from "./document_clients.ts";
import { type ClientDocumentPolicy, clientDocumentSettings } from "./settings.ts";

/** Accepts clients with a metadata document. */
export const clientDocuments: Extension<ClientDocumentPolicy> = {
  name: "client_documents",
  title: "Client ID metadata documents",
  specifications: ["draft-ietf-oauth-client-id-metadata-document-02"],
  settings: clientDocumentSettings,
  metadata: ({ settings }) => settings.clientIdMetadataDocuments ? { client_id_metadata_document_supported: true } : {},
  extend: (server) =>
    server.settings.clientIdMetadataDocuments ? { ...server, clients: withDocumentClients(server) } : server,
};

/** Adds the clients of metadata documents. The code for them is loaded with the first such client. */
function withDocumentClients(server: Server): ServerClients {
  const { clients } = server;
  let documents: DocumentClients | undefined;
  let loading: Promise<DocumentClients> | undefined;
  let known:
    | { others: ReadonlyMap<string, Client>; documents: readonly Client[]; all: ReadonlyMap<string, Client> }
    | undefined;

  async function load(): Promise<DocumentClients> {
    return (await import("./document_clients.ts")).createDocumentClients(server);
  }

  async function fetchClient(id: string, isInUse: boolean, sender?: Sender): Promise<Client> {
    documents ??= await (loading ??= load());
    return await documents.find(id, isInUse, sender);
  }

  async function find(id: string, sender?: Sender): Promise<Client> {
    return await clients.find(id, sender) ?? documents?.findFresh(id) ??
      await fetchClient(id, clients.isInUse(id), sender);
  }

  async function findHolder(id: string, sender?: Sender): Promise<Client | undefined> {
    return await clients.findHolder(id, sender) ??
      (sender === undefined ? documents?.findCached(id) : documents?.findFresh(id)) ??
      await fetchClient(id, sender === undefined || clients.isInUse(id), sender).catch(() => undefined);
  }

  return {
    ...clients,
    recordUse(id) {
      clients.recordUse(id);
      documents?.keep(id);
    },
    find: (id, sender) => isUrl(id) ? find(id, sender) : clients.find(id, sender),
    findHolder: (id, sender) => isUrl(id) ? findHolder(id, sender) : clients.findHolder(id, sender),
    known() {
      if (documents === undefined) return clients.known();
      const parts = { others: clients.known(), documents: documents.list() };
      if (known?.others !== parts.others || known.documents !== parts.documents) {
        const fetched = parts.documents.map((client) => [client.id, client] as const);
        known = { ...parts, all: new Map([...parts.others, ...fetched]) };
      }
      return known.all;
    },
    externalClients: () => [...clients.externalClients(), ...documents?.list() ?? []],
    forgetExternalClients() {
      clients.forgetExternalClients();
      documents?.clear();
    },
  };
}

/** Whether an id looks like a URL; `document_url.ts` checks later whether it may be the URL of a document. */
function isUrl(id: string): boolean {
  return /^https?:\/\//i.test(id);
}
