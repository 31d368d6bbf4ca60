/** @jsxImportSource preact */
/** The list of clients, the page of each client, and the form that adds one. */

import type { VNode } from "preact";
import { ClientDetails, ClientIdentity, type ListedClient } from "./client_details.tsx";
import { type ClientSnippet, ClientSnippets } from "./client_snippets.tsx";
import { type EditForm, Field, FieldErrors, FormErrors, RetryField } from "../../../server/pages/field.tsx";
import { Layout, Panes, Section, type Site, Stylesheet } from "../../../server/pages/layout.tsx";
import { type ListPosition, NextPage } from "../../../server/pages/next_page.tsx";
import { Confirmation, Notice } from "../../../server/pages/notice.tsx";
import { RemoveSection } from "../../../server/pages/confirmed_action.tsx";
import { Code, CopyableValue, CopyButton } from "../../../server/pages/value.tsx";

/** The list of clients. */
export interface ClientsProps extends Site {
  /** A page of the list. */
  readonly clients: readonly ListedClient[];
  /** The clients of the metadata documents in memory. */
  readonly documentClients: readonly ListedClient[];
  /** The place of the page in the list. */
  readonly position: ListPosition;
  /** The form that adds a client; absent if the list is read-only. */
  readonly form?: EditForm;
}

/** One client. */
export interface ClientProps extends Site {
  /** The client. */
  readonly client: ListedClient;
  /** Its secret, if a form generated it and it may be shown. */
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
  /** The form that removes it; absent if clients are read-only. */
  readonly form?: EditForm;
}

/** The page at `/clients`. */
export function Clients(props: ClientsProps): VNode {
  const { base, clients, documentClients, position, form } = props;
  return (
    <Layout
      site={props}
      path="/clients"
      head={<Stylesheet site={props} name="form" />}
      heading="Clients"
      badges={form && <a class="button plain" href="#add">Add a client</a>}
      opening={
        <>
          <Confirmation text={form?.confirmation} />
          <p>
            A client is an application that requests tokens.{" "}
            {clients.length > 0 && "Open a client to see its metadata and its settings for client libraries."}
          </p>
          {form !== undefined && <FormErrors faults={form.errors} heading="No client was added." />}
        </>
      }
    >
      <Panes>
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
        </div>{" "}
        {form !== undefined && <AddClientForm action={`${base}/clients`} form={form} />}
        {form === undefined && position.isFirst && clients.length === 0 && <ConfigExample />}
      </Panes>
    </Layout>
  );
}

const exampleConfig = `"clients": [{
  "client_id": "spa",
  "redirect_uris": ["http://localhost:5173/callback"]
}]`;

/** For a read-only list without clients. */
function ConfigExample(): VNode {
  return (
    <Section id="add" heading="Add a client">
      <p>Write the client into the configuration file, and restart the server:</p>
      <div class="box">
        <pre class="wire">{exampleConfig}</pre>
        <CopyButton description="the configuration" />
      </div>
    </Section>
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
        <ClientIdentity client={client} />
      </dl>
    </article>
  );
}

/** Value, label and methods of each choice, the default first. */
const authMethodChoices = [
  ["client_secret_basic client_secret_post", "Confidential: sends its secret by Basic or in the body"],
  ["client_secret_basic", "Confidential: sends its secret by Basic only", "client_secret_basic"],
  ["client_secret_post", "Confidential: sends its secret in the body only", "client_secret_post"],
  ["none", "Public: a browser, desktop or mobile app", "none"],
] as const;

/** What the type of the client that a link proposes means for the application. */
function proposalText(method: string | undefined): string {
  const secret = "the server generates a new secret. Copy the secret from the next page into the application.";
  if (method === "none") {
    return "A public client has no secret: an application that sends none needs no change. If the application sends a " +
      "secret, write it into the form: the client is then confidential, and may send it by Basic or in the body.";
  }
  return method === undefined
    ? "The rejected request does not show whether the application has a secret. A public client must send a code " +
      `challenge. For a confidential client ${secret}`
    : `The application sends a secret that this server does not know: ${secret}`;
}

function AddClientForm({ action, form }: { readonly action: string; readonly form: EditForm }): VNode {
  const { values, errors } = form;
  const name = "token_endpoint_auth_method";
  const selected = values[name] ?? authMethodChoices[0][0];
  const methodErrors = errors.filter(({ field }) => field === name);
  return (
    <Section id="add" heading="Add a client">
      <p>
        {form.isPersistent
          ? "The store keeps the client across restarts, and every instance on the store knows the client within a second."
          : "The server keeps the client in memory until it stops."} The form does not change the configuration file.
      </p>
      <form class="form" method="post" action={action}>
        <input type="hidden" name="form_token" value={form.csrfToken} />
        <RetryField form={form} />
        <Field
          name="client_id"
          label="Client ID"
          hint="Identifies the client in requests: 1 to 256 printable ASCII characters."
          value={values.client_id}
          errors={errors}
        />
        <Field
          name="client_name"
          label="Name"
          hint="Users see the name instead of the ID. Optional."
          value={values.client_name}
          errors={errors}
          optional
        />
        <Field
          name="redirect_uris"
          label="Redirect URIs"
          hint="One per line: https, http on a loopback host, or a private-use scheme."
          value={values.redirect_uris}
          errors={errors}
          lines={3}
        />
        <fieldset id={name} aria-describedby={methodErrors.length > 0 ? `${name}-fault` : undefined}>
          <legend>Authentication</legend>
          <FieldErrors name={name} faults={methodErrors} />
          {values.client_id !== undefined && errors.length === 0 && <p>{proposalText(values[name])}</p>}
          {authMethodChoices.map(([value, words, method]) => (
            <label class="choice" key={value}>
              <input type="radio" name={name} value={value} checked={value === selected} />
              <span>
                {words} {method !== undefined && <Code text={method} />}
              </span>
            </label>
          ))}
        </fieldset>
        <Field
          name="client_secret"
          label="Client secret"
          hint="The secret that the application already has. Empty: the server generates one for a confidential client."
          value={undefined}
          errors={errors}
          optional
        />
        <p class="ways">
          <button type="submit" class="button">Add the client</button>
        </p>
      </form>
    </Section>
  );
}

/** The page at `/clients/{id}`. */
export function Client(props: ClientProps): VNode {
  const { client, generatedSecret, retry, isSecretKept = false, demands = [], snippets, library, form } = props;
  return (
    <Layout
      site={props}
      path={`/clients/${client.id}`}
      head={["form", "connect"].map((name) => <Stylesheet key={name} site={props} name={name} />)}
      heading={client.name ?? client.id}
      badges={form && <a class="button plain" href={`${client.href}?edit`}>Edit all metadata</a>}
      opening={
        <>
          <Confirmation text={form?.confirmation} />
          {retry !== undefined && (
            <p class="ways">
              <a class="button" href={retry}>Try the request again</a>
            </p>
          )}
          {generatedSecret !== undefined && (
            <>
              {isSecretKept
                ? <p>This server generated the secret of the client. The page shows it until the server stops.</p>
                : (
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
      <Panes>
        <div>
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
        </div>
        <Section id="settings" heading="Settings to paste">
          {demands.length > 0 && (
            <Notice kind="warn">
              <p>These settings are not enough for this client: {demands.join(" ")}</p>
            </Notice>
          )}
          {snippets.length === 0
            ? <p>This client has no grant type, so it cannot request tokens.</p>
            : <ClientSnippets settings={snippets} library={library} path={client.href} section="settings" />}
        </Section>
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
