/** @jsxImportSource preact */
/** The list of clients, the page of each client, and the form that adds one. */

import type { VNode } from "preact";
import { type ClientSnippet, ClientSnippets } from "./client_snippets.tsx";
import { type EditForm, Field, FieldErrors, FormErrors } from "./field.tsx";
import { Layout, Panes, Section, type Site, Stylesheet } from "./layout.tsx";
import { type ListPosition, NextPage } from "./next_page.tsx";
import { Notice } from "./notice.tsx";
import { RemoveSection } from "./confirmed_action.tsx";
import { Code, CodeItem, CodeList, CopyableValue, DefinitionItem } from "./value.tsx";

/** A client, as pages show it. */
export interface ListedClient {
  /** The `client_id`. */
  readonly id: string;
  /** The `client_name`. */
  readonly name?: string;
  /** The path of its page. */
  readonly href: string;
  /** All accepted client authentication methods: `none`, `client_secret_basic`, … */
  readonly authMethods: readonly string[];
  /** As registered. */
  readonly redirectUris: readonly string[];
  /** The registered post-logout redirect URIs. */
  readonly postLogoutRedirectUris: readonly string[];
  /** The URIs by which it learns that a session has ended. */
  readonly logoutUris?: readonly string[];
  /** Members of its metadata that say how it sends requests and receives responses, as `name: value`. */
  readonly requestMembers?: readonly string[];
  /** The allowed grant types. */
  readonly grantTypes: readonly string[];
  /** Every scope value that it may request. */
  readonly scope: readonly string[];
  /** Its own profile, if it has one. */
  readonly profile?: string;
  /** The types of authorization details that it may request. */
  readonly detailsTypes?: readonly string[];
  /** When it registered itself, by the server's clock in seconds; absent for other clients. */
  readonly registeredItselfAt?: number;
  /** Its metadata document, by the server's clock in milliseconds; absent if the client is registered. */
  readonly document?: { readonly fetchedAt: number; readonly validUntil: number };
}

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
  /** A secret that was generated for this response, shown once. */
  readonly newSecret?: string;
  /** What requests of the client must have besides the settings, in sentences. Default: nothing. */
  readonly demands?: readonly string[];
  /** Settings for libraries, the most common first. */
  readonly snippets: readonly ClientSnippet[];
  /** The form that removes it; absent if clients are read-only. */
  readonly form?: EditForm;
}

/** Client authentication methods in words. */
const authMethodLabels: Readonly<Record<string, string>> = {
  none: "a public client: it has no secret and relies on PKCE",
  client_secret_basic: "a confidential client: it sends its ID and secret in the Authorization header",
  client_secret_post: "a confidential client: it sends its ID and secret in the request body",
  client_secret_jwt: "a confidential client: it signs an assertion with its secret and never sends the secret",
  "client_secret_basic client_secret_post":
    "a confidential client without a registered method: it sends its ID and secret in the Authorization header or the request body",
  private_key_jwt: "a confidential client: it signs an assertion with its private key",
};

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
          <p>A client is an application that requests tokens. Open one for its settings to paste.</p>
          {form !== undefined && <FormErrors faults={form.errors} heading="No client was added." />}
        </>
      }
    >
      <Panes>
        <div>
          <Section id="registered" heading="Registered">
            {clients.length > 0
              ? clients.map((client) => <ClientArticle key={client.id} client={client} />)
              : <p>No client is registered, so every authorization request is rejected.</p>}
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
      </Panes>
    </Layout>
  );
}

function ClientArticle({ client }: { readonly client: ListedClient }): VNode {
  return (
    <article>
      <h3>
        <a href={client.href}>
          <bdi>{client.name ?? client.id}</bdi>
        </a>
      </h3>
      <ClientDetails client={client} />
    </article>
  );
}

/** The metadata of a client. */
function ClientDetails({ client }: { readonly client: ListedClient }): VNode {
  const { id, authMethods, redirectUris, postLogoutRedirectUris, grantTypes, scope, document } = client;
  const { registeredItselfAt, logoutUris = [], detailsTypes = [], requestMembers = [], profile } = client;
  return (
    <dl class="facts">
      <CodeItem label="Client ID" text={id} />
      <DefinitionItem label="Authentication">
        <CodeList texts={authMethods} between=" or " />
        {Object.hasOwn(authMethodLabels, authMethods.join(" ")) && <>, {authMethodLabels[authMethods.join(" ")]}</>}
      </DefinitionItem>
      {profile !== undefined && <CodeItem label="Profile" text={profile} />}
      <MultiValueItem label="Redirect URI" texts={redirectUris} />
      <MultiValueItem label="Post-logout redirect URI" texts={postLogoutRedirectUris} />
      <MultiValueItem label="Logout URI" texts={logoutUris} />
      <MultiValueItem label="Grant types" texts={grantTypes} />
      {scope.length > 0 && <CodeItem label="Scope" text={scope.join(" ")} />}
      <MultiValueItem label="Authorization details" texts={detailsTypes} />
      <MultiValueItem label="Requests and responses" texts={requestMembers} />
      {registeredItselfAt !== undefined && (
        <DefinitionItem label="Registered itself">
          at {new Date(registeredItselfAt * 1000).toISOString()}
        </DefinitionItem>
      )}
      {document !== undefined && (
        <DefinitionItem label="Metadata document">
          fetched at {new Date(document.fetchedAt).toISOString()}, valid until{" "}
          {new Date(document.validUntil).toISOString()}
        </DefinitionItem>
      )}
    </dl>
  );
}

function MultiValueItem({ label, texts }: { readonly label: string; readonly texts: readonly string[] }): VNode | null {
  if (texts.length === 0) return null;
  return (
    <DefinitionItem label={label}>
      {texts.map((text) => (
        <div key={text}>
          <Code text={text} />
        </div>
      ))}
    </DefinitionItem>
  );
}

const authMethodChoices = [
  ["none", "Public: a browser, desktop or mobile app, which cannot keep a secret"],
  ["client_secret_basic", "Confidential: sends its secret in the Authorization header"],
  ["client_secret_post", "Confidential: sends its secret in the body, as Passport and ASP.NET Core do"],
] as const;

function AddClientForm({ action, form }: { readonly action: string; readonly form: EditForm }): VNode {
  const { values, errors } = form;
  const name = "token_endpoint_auth_method";
  const selected = values[name] ?? "none";
  const methodErrors = errors.filter(({ field }) => field === name);
  return (
    <Section id="add" heading="Add a client">
      <p>
        {form.isPersistent
          ? "Saved in the store: the client survives a restart, and every instance on the store knows it within a second."
          : "Kept in memory: a client that you add here is lost when the server stops."}{" "}
        The configuration file is not changed.
      </p>
      <form class="form" method="post" action={action}>
        <input type="hidden" name="form_token" value={form.csrfToken} />
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
          hint="Shown to users instead of the ID. Optional."
          value={values.client_name}
          errors={errors}
          optional
        />
        <Field
          name="redirect_uris"
          label="Redirect URIs"
          hint="Where the server may send codes, one per line: https, http on a loopback host, or a private-use scheme."
          value={values.redirect_uris}
          errors={errors}
          lines={3}
        />
        <fieldset id={name} aria-describedby={methodErrors.length > 0 ? `${name}-fault` : undefined}>
          <legend>Authentication</legend>
          <FieldErrors name={name} faults={methodErrors} />
          {authMethodChoices.map(([method, words]) => (
            <label class="choice" key={method}>
              <input type="radio" name={name} value={method} checked={method === selected} />
              <span>
                {words} <Code text={method} />
              </span>
            </label>
          ))}
        </fieldset>
        <p class="ways">
          <button type="submit" class="button">Add the client</button>
        </p>
      </form>
    </Section>
  );
}

/** The page at `/clients/{id}`. */
export function Client(props: ClientProps): VNode {
  const { client, newSecret, demands = [], snippets, form } = props;
  return (
    <Layout
      site={props}
      path={`/clients/${client.id}`}
      head={<Stylesheet site={props} name="form" />}
      heading={client.name ?? client.id}
      badges={form && <a class="button plain" href={`${client.href}?edit`}>Edit all metadata</a>}
      opening={
        <>
          {newSecret !== undefined && (
            <>
              <Notice kind="warn">
                <p>
                  This is the new secret of the client. Copy it now: it is shown only once, because the server keeps
                  only a digest.
                </p>
              </Notice>
              <dl class="values">
                <CopyableValue label="Client secret" text={newSecret} />
              </dl>
            </>
          )}
        </>
      }
    >
      <Panes>
        <div>
          <ClientDetails client={client} />
          {props.links?.some(({ path }) => path === "/faults") && (
            <p class="ways">
              <a href={`${props.base}/faults?${new URLSearchParams({ client: client.id })}`}>
                Choose a fault for its next request
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
          <ClientSnippets settings={snippets} />
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
