/**
 * Client ID metadata documents: a client without a registration, whose `client_id` is the URL of its metadata
 * (draft-ietf-oauth-client-id-metadata-document-02).
 */

import type { Extension } from "../../config/extension.ts";
import type { HostedClient } from "../../config/client_metadata.ts";
import type { CheckInput } from "../../../core/server.ts";
import type { HostedServer } from "../../hosted_server.ts";
import type { Sender } from "../../fetching/sender.ts";
import type { DocumentClients } from "./document_clients.ts";
import { type ClientDocumentPolicy, clientDocumentSettings } from "./settings.ts";

/** The function of a server that keeps the document of a client, because something is issued to the client. */
interface DocumentKeeper {
  keepDocument(id: string): void;
}

/** Accepts clients with a metadata document. */
export const clientDocuments: Extension<ClientDocumentPolicy> = {
  name: "client_documents",
  settings: clientDocumentSettings,
  requestChecks: [{
    place: { before: "JR-01" },
    redirectOnly: true,
    reads: "the metadata document of the client",
    read: traceDocument,
  }],
  metadata: ({ policy }) => policy.clientIdMetadataDocuments ? { client_id_metadata_document_supported: true } : {},
  steps: {
    beforeIssue: [{
      name: "metadata document in use",
      run({ keepDocument }: HostedServer & Partial<DocumentKeeper>, client) {
        if (client.standing === "unknown") keepDocument?.(client.id);
      },
    }],
  },
  extend: (server) => server.policy.clientIdMetadataDocuments ? { ...server, ...withDocumentClients(server) } : server,
};

/** Traces that the document of a client is valid. Its destination was found in it, so nothing is left to check. */
function traceDocument({ server, client }: CheckInput): void {
  const { document }: HostedClient = client;
  if (document !== undefined) server.passed("MC-04", client.id);
}

/** Adds the clients of metadata documents. The code for them is loaded with the first such client. */
function withDocumentClients(server: HostedServer): Pick<HostedServer, "clients"> & DocumentKeeper {
  const { clients, fetching } = server;
  let documents: DocumentClients | undefined;
  let loading: Promise<DocumentClients> | undefined;
  let known:
    | {
      others: ReadonlyMap<string, HostedClient>;
      documents: readonly HostedClient[];
      all: ReadonlyMap<string, HostedClient>;
    }
    | undefined;

  async function load(): Promise<DocumentClients> {
    return (await import("./document_clients.ts")).createDocumentClients(server);
  }

  async function fetchClient(id: string, isInUse: boolean, sender?: Sender): Promise<HostedClient> {
    documents ??= await (loading ??= load());
    return await documents.find(id, isInUse, sender);
  }

  async function find(id: string, current?: HostedServer): Promise<HostedClient> {
    return await clients.find(id, current) ?? documents?.findFresh(id) ??
      await fetchClient(id, fetching.isInUse(id), current?.sender);
  }

  async function findHolder(id: string, current?: HostedServer): Promise<HostedClient | undefined> {
    return await clients.findHolder(id, current) ??
      (current?.sender === undefined ? documents?.findCached(id) : documents?.findFresh(id)) ??
      await fetchClient(id, current?.sender === undefined || fetching.isInUse(id), current?.sender).catch(() =>
        undefined
      );
  }

  return {
    keepDocument: (id) => documents?.keep(id),
    clients: {
      ...clients,
      find: (id, current: HostedServer | undefined) => isUrl(id) ? find(id, current) : clients.find(id, current),
      findHolder: (id, current: HostedServer | undefined) =>
        isUrl(id) ? findHolder(id, current) : clients.findHolder(id, current),
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
    },
  };
}

/** Whether an id looks like a URL; `document_url.ts` checks later whether it may be the URL of a document. */
function isUrl(id: string): boolean {
  return /^https?:\/\//i.test(id);
}
