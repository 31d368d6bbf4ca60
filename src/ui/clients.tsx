/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** The clients: all of them on one page, each on one of its own, and the form that adds one. */

import { Fragment } from "preact";
import type { VNode } from "preact";
import type { ClientProps, ClientsProps, EditForm, ListedClient } from "../app/pages.ts";
import { Settings } from "./client_snippets.tsx";
import { Field, FieldFaults, Refusals } from "./field.tsx";
import { Layout, Section } from "./layout.tsx";
import { Notice } from "./notice.tsx";
import { Removal } from "./delete_form.tsx";
import { Fact, Value, Wire } from "./value.tsx";

/** What the methods of client authentication come to, in words. */
const authentication: Readonly<Record<string, string>> = {
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
          {form !== undefined && <Refusals faults={form.faults} heading="No client was added." />}
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
              <Facts client={client} />
            </article>
          ))
          : <p>No client is registered, so every authorization request will be refused.</p>}
      </Section>
      {form !== undefined && <Add action={`${props.base}/clients`} form={form} />}
    </Layout>
  );
}

/** What was registered for a client, line by line. */
function Facts({ client }: { readonly client: ListedClient }): VNode {
  const { id, authMethods, redirectUris, postLogoutRedirectUris, grantTypes, scope } = client;
  return (
    <dl class="facts">
      <Fact label="Client ID">
        <Wire text={id} />
      </Fact>
      <Fact label="Authentication">
        {authMethods.map((method, i) => (
          <Fragment key={method}>
            {i > 0 && " or "}
            <Wire text={method} />
          </Fragment>
        ))}
        {Object.hasOwn(authentication, authMethods.join(" ")) && <>, {authentication[authMethods.join(" ")]}</>}
      </Fact>
      <Several label="Redirect URI" texts={redirectUris} />
      <Several label="After logout" texts={postLogoutRedirectUris} />
      <Several label="Grants" texts={grantTypes} />
      {scope.length > 0 && (
        <Fact label="Scope">
          <Wire text={scope.join(" ")} />
        </Fact>
      )}
    </dl>
  );
}

function Several({ label, texts }: { readonly label: string; readonly texts: readonly string[] }): VNode | null {
  if (texts.length === 0) return null;
  return (
    <Fact label={label}>
      {texts.map((text) => (
        <div key={text}>
          <Wire text={text} />
        </div>
      ))}
    </Fact>
  );
}

const methods = [
  ["none", "Public: a browser, native or mobile app, which cannot keep a secret"],
  ["client_secret_basic", "Confidential: sends its secret in the Authorization header"],
  ["client_secret_post", "Confidential: sends its secret in the body, as Passport and ASP.NET Core do"],
] as const;

function Add({ action, form }: { readonly action: string; readonly form: EditForm }): VNode {
  const { values, faults } = form;
  const name = "token_endpoint_auth_method";
  const chosen = values[name] ?? "none";
  const own = faults.filter(({ field }) => field === name);
  return (
    <Section id="add" heading="Add a client">
      <p>
        {form.isKept
          ? "Kept in the store: whatever instance runs on it knows the client within a second, and after a restart."
          : "For this run: when the server stops, what was added here is forgotten."}{" "}
        The configuration file is not touched.
      </p>
      <form class="form" method="post" action={action}>
        <input type="hidden" name="form_token" value={form.token} />
        <Field
          name="client_id"
          label="Client ID"
          hint="What the client calls itself in requests: 1 to 256 printable ASCII characters."
          value={values.client_id}
          faults={faults}
        />
        <Field
          name="client_name"
          label="Name"
          hint="Shown to people instead of the id. May be left empty."
          value={values.client_name}
          faults={faults}
          optional
        />
        <Field
          name="redirect_uris"
          label="Redirect URIs"
          hint="Where codes may be sent, one to a line: https, http on a loopback host, or a private-use scheme."
          value={values.redirect_uris}
          faults={faults}
          lines={3}
        />
        <fieldset id={name} aria-describedby={own.length > 0 ? `${name}-fault` : undefined}>
          <legend>Authentication</legend>
          <FieldFaults name={name} faults={own} />
          {methods.map(([method, words]) => (
            <label class="choice" key={method}>
              <input type="radio" name={name} value={method} checked={method === chosen} />
              <span>
                {words} <Wire text={method} />
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
  const { client, drawnSecret, settings, form } = props;
  return (
    <Layout
      site={props}
      path={`/clients/${client.id}`}
      heading={client.name ?? client.id}
      opening={
        <>
          {drawnSecret !== undefined && (
            <>
              <Notice kind="warn">
                <p>
                  The client was added. Its secret is shown on this page now, and never again: only a digest is kept.
                </p>
              </Notice>
              <dl class="values">
                <Value label="Client secret" text={drawnSecret} />
              </dl>
            </>
          )}
          <Facts client={client} />
        </>
      }
    >
      <Section id="settings" heading="Settings to paste">
        <Settings settings={settings} />
      </Section>
      {form !== undefined && (
        <Section id="remove" heading="Remove">
          <Removal what="client" id={client.id} action={client.href} token={form.token}>
            Requests of this client will be refused from then on, and its tokens are not refreshed any more.{" "}
            {form.isKept
              ? "The store keeps the removal until this client is added again or its configuration changes."
              : "When the server starts again, it is as the configuration says."}
          </Removal>
          <p class="ways">
            <a href={`${props.base}/clients`}>Back to all clients</a>
          </p>
        </Section>
      )}
    </Layout>
  );
}
