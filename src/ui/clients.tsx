/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** The clients: all of them on one page, each on one of its own, and the form that adds one. */

import { Fragment } from "preact";
import type { VNode } from "preact";
import type { ClientProps, ClientsProps, EditForm, ListedClient } from "../app/pages.ts";
import { ClientSnippets } from "./client_snippets.tsx";
import { Field, FieldErrors, FormErrors } from "./field.tsx";
import { Layout, Section } from "./layout.tsx";
import { Notice } from "./notice.tsx";
import { DeleteForm } from "./confirmed_action.tsx";
import { Code, CopyableValue, DefinitionItem } from "./value.tsx";

/** What the methods of client authentication come to, in words. */
const authMethodLabels: Readonly<Record<string, string>> = {
  none: "a public client: it has no secret and relies on PKCE",
  client_secret_basic: "a confidential client: id and secret travel in the Authorization header",
  client_secret_post: "a confidential client: id and secret travel in the request body",
  client_secret_jwt: "a confidential client: it signs with its secret, which does not travel",
  "client_secret_basic client_secret_post":
    "a confidential client that names no method: it sends id and secret in the Authorization header or the request body",
  private_key_jwt: "a confidential client: it signs with a key that only it has",
};

/** The page at `/clients`. */
export function Clients(props: ClientsProps): VNode {
  const { clients, form } = props;
  return (
    <Layout
      site={props}
      path="/clients"
      heading="Clients"
      opening={
        <>
          <p>
            A client is an application that asks for tokens. The server knows each one beforehand, and sends codes to
            its registered redirect URIs alone: that is what keeps a stranger from collecting them.
          </p>
          {form !== undefined && <FormErrors faults={form.errors} heading="No client was added." />}
        </>
      }
    >
      <Section id="registered" heading="Registered">
        {clients.length > 0
          ? clients.map((client) => (
            <article key={client.id}>
              <h3>
                <a href={client.href}>
                  <bdi>{client.name ?? client.id}</bdi>
                </a>
              </h3>
              <ClientDetails client={client} />
            </article>
          ))
          : <p>No client is registered, so every authorization request will be refused.</p>}
      </Section>
      {form !== undefined && <AddClientForm action={`${props.base}/clients`} form={form} />}
    </Layout>
  );
}

/** What was registered for a client, line by line. */
function ClientDetails({ client }: { readonly client: ListedClient }): VNode {
  const { id, authMethods, redirectUris, postLogoutRedirectUris, grantTypes, scope } = client;
  return (
    <dl class="facts">
      <DefinitionItem label="Client ID">
        <Code text={id} />
      </DefinitionItem>
      <DefinitionItem label="Authentication">
        {authMethods.map((method, i) => (
          <Fragment key={method}>
            {i > 0 && " or "}
            <Code text={method} />
          </Fragment>
        ))}
        {Object.hasOwn(authMethodLabels, authMethods.join(" ")) && <>, {authMethodLabels[authMethods.join(" ")]}</>}
      </DefinitionItem>
      <MultiValueItem label="Redirect URI" texts={redirectUris} />
      <MultiValueItem label="After logout" texts={postLogoutRedirectUris} />
      <MultiValueItem label="Grants" texts={grantTypes} />
      {scope.length > 0 && (
        <DefinitionItem label="Scope">
          <Code text={scope.join(" ")} />
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
  ["none", "Public: a browser, native or mobile app, which cannot keep a secret"],
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
          ? "Kept in the store: whatever instance runs on it knows the client within a second, and after a restart."
          : "For this run: when the server stops, what was added here is forgotten."}{" "}
        The configuration file is not touched.
      </p>
      <form class="form" method="post" action={action}>
        <input type="hidden" name="form_token" value={form.csrfToken} />
        <Field
          name="client_id"
          label="Client ID"
          hint="What the client calls itself in requests: 1 to 256 printable ASCII characters."
          value={values.client_id}
          errors={errors}
        />
        <Field
          name="client_name"
          label="Name"
          hint="Shown to people instead of the id. May be left empty."
          value={values.client_name}
          errors={errors}
          optional
        />
        <Field
          name="redirect_uris"
          label="Redirect URIs"
          hint="Where codes may be sent, one to a line: https, http on a loopback host, or a private-use scheme."
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

/** The page of one client. */
export function Client(props: ClientProps): VNode {
  const { client, newSecret, snippets, form } = props;
  return (
    <Layout
      site={props}
      path={`/clients/${client.id}`}
      heading={client.name ?? client.id}
      opening={
        <>
          {newSecret !== undefined && (
            <>
              <Notice kind="warn">
                <p>
                  The client was added. Its secret is shown on this page now, and never again: only a digest is kept.
                </p>
              </Notice>
              <dl class="values">
                <CopyableValue label="Client secret" text={newSecret} />
              </dl>
            </>
          )}
          <ClientDetails client={client} />
        </>
      }
    >
      <Section id="settings" heading="Settings to paste">
        <ClientSnippets settings={snippets} />
      </Section>
      {form !== undefined && (
        <Section id="remove" heading="Remove">
          <DeleteForm kind="client" id={client.id} action={client.href} csrfToken={form.csrfToken}>
            Requests of this client will be refused from then on, and its tokens are not refreshed any more.{" "}
            {form.isPersistent
              ? "The store keeps the removal until this client is added again or its configuration changes."
              : "When the server starts again, it is as the configuration says."}
          </DeleteForm>
          <p class="ways">
            <a href={`${props.base}/clients`}>Back to all clients</a>
          </p>
        </Section>
      )}
    </Layout>
  );
}
