/** @jsxImportSource preact */
/** The list of clients, and the page of each client. */

import type { VNode } from "preact";
import { ClientDetails, ClientIdentity, type ListedClient } from "./client_details.tsx";
import { type ClientSnippet, ClientSnippets } from "./client_snippets.tsx";
import { type ConfigurationFile, ConfigurationLines } from "./configuration_lines.tsx";
import type { EditForm } from "../../../server/pages/field.tsx";
import { Layout, Panes, Section, type Site } from "../../../server/pages/layout.tsx";
import { type ListPosition, NextPage } from "../../../server/pages/next_page.tsx";
import { ConfirmationNotice, Notice } from "../../../server/pages/notice.tsx";
import type { RecentFlow } from "../../requests/pages/props.ts";
import { RecentFlows } from "./recent_flows.tsx";
import { RemoveSection } from "../../../server/pages/confirmed_action.tsx";
import { CopyableValue } from "../../../server/pages/value.tsx";

export interface ClientsProps extends Site {
  /** A page of the list. */
  readonly clients: readonly ListedClient[];
  /** The clients of the metadata documents in memory. */
  readonly documentClients: readonly ListedClient[];
  /** The place of the page in the list. */
  readonly position: ListPosition;
  /** What a form changed before. Absent: nothing. */
  readonly confirmation?: string;
}

export interface ClientProps extends Site {
  readonly client: ListedClient;
  /** Its secret, if a form set it and it may be shown. */
  readonly generatedSecret?: string;
  /** The authorization request that failed before the client was changed: its path and query. */
  readonly retry?: string;
  /** Whether the page shows the secret until the server stops. Default: in this response alone. */
  readonly isSecretKept?: boolean;
  /** What requests of the client must have besides the settings, in sentences. Default: nothing. */
  readonly demands?: readonly string[];
  /** Settings for libraries, the most common first. */
  readonly snippets: readonly ClientSnippet[];
  /** The library that the address names. Default: the first one that fits. */
  readonly library?: string;
  /** The path of the page that checks it. Absent: the server has none. */
  readonly checkHref?: string;
  /** The URL that starts a login at the client (OpenID Connect Core §4). Absent: the client has no such URL. */
  readonly initiateLoginHref?: string;
  /** Its last flows, newest first; absent if nothing records them. */
  readonly flows?: readonly RecentFlow[];
  /** The client as a configuration file; absent if clients are read-only. */
  readonly lines?: ConfigurationFile;
  /** The form that removes it; absent if clients are read-only. */
  readonly form?: EditForm;
  /** What is wrong with the issuer that a client has. Default: nothing. */
  readonly hostWarning?: string;
}

/** The page at `/clients`. */
export function ClientsView(props: ClientsProps): VNode {
  const { base, clients, documentClients, position } = props;
  return (
    <Layout
      site={props}
      path="/clients"
      styles={["form"]}
      heading="Clients"
      badges={<a class="button plain" href={`${base}/#connect`}>Connect an application</a>}
      opening={
        <>
          <ConfirmationNotice text={props.confirmation} />
          <p>
            A client is an application that requests tokens.{" "}
            {clients.length > 0 && "Open a client to see its metadata and its settings for client libraries."}
          </p>
        </>
      }
    >
      <div>
        <Section id="registered" heading="Registered">
          {clients.length > 0
            ? clients.map((client) => <ClientArticle key={client.id} client={client} />)
            : <p>No client is registered, so the server rejects every authorization request.</p>}
          <NextPage position={position} firstHref={`${base}/clients`} entries="clients" />
        </Section>
        {documentClients.length > 0 && (
          <Section id="documents" heading="With a client ID metadata document">
            <p>
              These clients are not registered: their client ID is the URL of a document that this server has fetched.
            </p>
            {documentClients.map((client) => <ClientArticle key={client.id} client={client} />)}
          </Section>
        )}
      </div>
    </Layout>
  );
}

/** A client in the list: what identifies it in a request. */
function ClientArticle({ client }: { readonly client: ListedClient }): VNode {
  return (
    <article>
      <h3>
        <a href={client.href}>
          <bdi>{client.name ?? client.id}</bdi>
        </a>
      </h3>
      <dl class="facts">
        <ClientIdentity client={client} isTitled={(client.name ?? client.id) === client.id} />
      </dl>
    </article>
  );
}

/** The page at `/clients/{id}`. */
export function ClientView(props: ClientProps): VNode {
  const { client, generatedSecret, retry, isSecretKept = false, demands = [], snippets, library, form } = props;
  const { flows, lines, hostWarning } = props;
  return (
    <Layout
      site={props}
      path={`/clients/${client.id}`}
      styles={["form", "devtools/connect"]}
      scripts={["script", ...flows?.length === 0 ? ["devtools/connect"] : []]}
      heading={client.name ?? client.id}
      badges={form && <a class="button plain" href={`${client.href}?edit`}>Edit all metadata</a>}
      opening={
        <>
          <ConfirmationNotice text={form?.confirmation} />
          {hostWarning !== undefined && <Notice kind="warn" text={hostWarning} />}
          {retry !== undefined && (
            <p class="ways">
              <a class="button" href={retry}>Try the request again</a>
            </p>
          )}
          {generatedSecret !== undefined && (
            <>
              {isSecretKept ? <p>This page shows the secret until the server stops.</p> : (
                <Notice kind="warn">
                  <p>
                    Copy the new secret of the client now. The server keeps only a digest, so no page can show the
                    secret again.
                  </p>
                </Notice>
              )}
              <dl class="values">
                <CopyableValue label="Client secret" text={generatedSecret} />
              </dl>
            </>
          )}
        </>
      }
    >
      <Panes wide>
        <Section id="settings" heading="Settings to paste">
          {demands.length > 0 && (
            <Notice kind="warn" text={`These settings are not enough for this client: ${demands.join(" ")}`} />
          )}
          {snippets.length === 0
            ? <p>This client has no grant type, so it cannot request tokens.</p>
            : <ClientSnippets settings={snippets} library={library} path={client.href} section="settings" />}
        </Section>
        <div>
          {flows && <FirstLogin base={props.base} client={client} flows={flows} />}
          <Section id="metadata" heading="Metadata">
            <ClientDetails client={client} />
            {props.initiateLoginHref !== undefined && (
              <p class="ways">
                <a href={props.initiateLoginHref} rel="noreferrer">Log in at the client</a>
              </p>
            )}
            {props.checkHref !== undefined && (
              <p class="ways">
                <a href={props.checkHref}>Check how this client responds to attacks</a>
              </p>
            )}
            {props.links?.some(({ path }) => path === "/faults") && (
              <p class="ways">
                <a href={`${props.base}/faults?${new URLSearchParams({ client: client.id })}`}>
                  Choose a fault for the next request of this client
                </a>
              </p>
            )}
            {lines !== undefined && (
              <ConfigurationLines file={lines} isPersistent={form?.isPersistent === true} isOne>
                this client
              </ConfigurationLines>
            )}
          </Section>
        </div>
      </Panes>
      {form !== undefined && (
        <RemoveSection
          kind="client"
          id={client.id}
          href={client.href}
          form={form}
          listHref={`${props.base}/clients`}
          consequence="The server will reject requests of this client and will not refresh its tokens."
        />
      )}
    </Layout>
  );
}

/** The last flows of a client; before the first one, the script looks for it. */
function FirstLogin({ base, client, flows }: {
  readonly base: string;
  readonly client: ListedClient;
  readonly flows: readonly RecentFlow[];
}): VNode {
  if (flows.length > 0) return <RecentFlows base={base} flows={flows} heading="Last flows of this client" />;
  return (
    <Section id="last-flows" heading="Waiting for the first login …">
      <p data-waiting>
        Paste the settings, start the application and log in there: its requests appear here.{" "}
        <a href={client.href}>Look again</a>
      </p>
    </Section>
  );
}
