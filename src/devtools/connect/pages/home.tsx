/** @jsxImportSource preact */
/** The home page: a form that connects an application; the clients and users, lines for the file, endpoints. */

import type { VNode } from "preact";
import type { ListedClient } from "./client_details.tsx";
import { type ConfigurationFile, ConfigurationLines } from "./configuration_lines.tsx";
import { type EditForm, FieldInput, FormErrors, RetryField } from "../../../server/pages/field.tsx";
import { Layout, Panes, Section, type Site } from "../../../server/pages/layout.tsx";
import { ClockNotice, ConfirmationNotice, Notice } from "../../../server/pages/notice.tsx";
import type { RecentFlow } from "../../requests/pages/props.ts";
import { RecentFlows } from "./recent_flows.tsx";
import { type ListedUser, UserSwitch } from "./users.tsx";
import { Code, CopyButton, DefinitionItem } from "../../../server/pages/value.tsx";

export interface HomeProps extends Site {
  /** The form that adds a client; absent if the visitor may not. */
  readonly form?: ConnectForm;
  /** Whether a client has the redirect URI of this server's own page, so that the demo login works. */
  readonly hasDemo: boolean;
  /** The redirect URI of that client. */
  readonly demoUri: string;
  /** Clients and users; absent if the page must not show them. */
  readonly directory?: {
    readonly clients: readonly ListedClient[];
    readonly users: readonly ListedUser[];
    /** Both as a configuration file; absent if no page changes them. */
    readonly lines?: ConfigurationFile;
  };
  /** The last recorded flows, newest first; absent if the page must not show them. */
  readonly flows?: readonly RecentFlow[];
  /** Whether the store keeps tokens and keys when the server stops. */
  readonly persistent: boolean;
  /** Name (as in metadata) and absolute URL of each endpoint, and of the metadata documents. */
  readonly endpoints: readonly { readonly name: string; readonly url: string }[];
  /** The profile of the server; absent: none. */
  readonly profile?: string;
  /** The host of this request, if it is not that of the issuer; absent if they are equal. */
  readonly otherHost?: string;
  /** Whether users log in on a page. */
  readonly login: "automatic" | "page";
  /** Every scope value of the server. */
  readonly scopes: readonly string[];
}

/** The state of the form that adds a client. */
export interface ConnectForm extends EditForm {
  /** The libraries, with the redirect URI of an application that follows the guide of each. */
  readonly libraries: readonly { readonly library: string; readonly redirectUris: readonly string[] }[];
  /** The methods of client authentication to choose from. */
  readonly authMethods: readonly string[];
  /** The methods that only the page of the client offers, because they need a key of the client. */
  readonly keyMethods: readonly string[];
  /** Whether a rejected request proposes the values. */
  readonly isProposed: boolean;
  /** Whether the rejected request does not say whether the client has a secret. */
  readonly asksForSecret: boolean;
}

/** The form: a library and a redirect URI are enough. */
function Connect(
  { base, form, hasDemo, demoUri }: Pick<HomeProps, "base" | "hasDemo" | "demoUri"> & { readonly form: ConnectForm },
): VNode {
  const { values, errors, libraries, authMethods, keyMethods, isProposed, asksForSecret } = form;
  const details = ["client_name", "client_secret", "token_endpoint_auth_method", "post_logout_redirect_uris"];
  return (
    <form class="form" id="connect" method="post" action={`${base}/clients`}>
      <input type="hidden" name="form_token" value={form.csrfToken} />
      <RetryField form={form} />
      <FieldInput
        name="library"
        label="Library"
        value={values.library}
        errors={errors}
        choices={libraries.map(({ library }) => library)}
      />
      <FieldInput
        name="redirect_uris"
        label="Redirect URI"
        hint="The callback URL of your application. Separate several by spaces."
        value={values.redirect_uris}
        errors={errors}
        suggestions={libraries.map(({ library, redirectUris }) => [redirectUris[0]!, library])}
      />
      <FieldInput name="client_id" label="Client ID" value={values.client_id} errors={errors} />
      {asksForSecret && <SecretQuestion />}
      {isProposed && (
        <p>
          The values are those of the rejected request. If the application has a secret already, type it below;
          otherwise copy the generated one from the next page.
        </p>
      )}
      <details open={isProposed || errors.some(({ field }) => details.includes(field))}>
        <summary>Secret, authentication, name and logout</summary>
        <div class="form">
          <FieldInput
            name="client_secret"
            label="Secret (empty: generated)"
            hint="The one that your application has already. A public client has none."
            errors={errors}
            optional
          />
          {!asksForSecret && (
            <FieldInput
              name="token_endpoint_auth_method"
              label="Authentication"
              hint="How the application sends the secret; none: a public client, such as a browser or mobile app."
              value={values.token_endpoint_auth_method}
              errors={errors}
              choices={["", ...authMethods]}
              emptyChoice="what the library needs: none, or a secret by Basic or in the body"
            />
          )}
          {keyMethods.length > 0 && (
            <p class="aside">
              For {keyMethods.join(", ")}: create the client, then choose the method and add its keys on the next page.
            </p>
          )}
          <FieldInput
            name="client_name"
            label="Name"
            hint="Users see it instead of the ID."
            value={values.client_name}
            errors={errors}
            optional
          />
          <FieldInput
            name="post_logout_redirect_uris"
            label="Post-logout redirect URI"
            hint="Where the browser returns after a logout. Separate several by spaces."
            value={values.post_logout_redirect_uris}
            errors={errors}
            optional
          />
        </div>
      </details>
      <p class="ways">
        <button type="submit" class="button">Create the client</button>
        {hasDemo && <DemoLink base={base} />}
      </p>
      {!hasDemo && (
        <p class="aside">
          To try the server without an application: <Code text={demoUri} /> as the redirect URI.
        </p>
      )}
    </form>
  );
}

/** A rejected authorization request does not say it. An empty method is Basic, or the secret in the body. */
function SecretQuestion(): VNode {
  const choices = [
    ["", "Yes: it runs on a server"],
    ["none", "No: it runs in a browser or on the device of its user"],
  ] as const;
  return (
    <fieldset>
      <legend>Does the application have a secret?</legend>
      {choices.map(([value, label]) => (
        <label class="choice" key={value}>
          <input type="radio" name="token_endpoint_auth_method" value={value} required />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}

function DemoLink({ base }: { readonly base: string }): VNode {
  return <a class="button plain" href={`${base}/start`}>Start the demo flow</a>;
}

const exampleConfig = `"clients": [{
  "client_id": "spa",
  "redirect_uris": ["http://localhost:5173/callback"]
}]`;

/** Names with links to their pages, and IDs. */
function DirectoryList({ items, none: emptyText }: {
  readonly items: readonly { readonly id: string; readonly name?: string; readonly href: string }[];
  readonly none: string;
}): VNode {
  if (items.length === 0) return <p>{emptyText}</p>;
  return (
    <dl class="facts even">
      {items.map(({ id, name, href }) => (
        <DefinitionItem
          key={id}
          label={
            <a href={href}>
              <bdi>{name ?? id}</bdi>
            </a>
          }
        >
          {name !== undefined && name !== id && <Code text={id} />}
        </DefinitionItem>
      ))}
    </dl>
  );
}

/** Shorter names fit into their column. */
const minBreakableLength = 24;

/** The name of an endpoint; a long one breaks after an underscore. */
function EndpointName({ name }: { readonly name: string }): VNode {
  const words = name.length < minBreakableLength ? [name] : name.split(/(?<=_)/);
  return <code class="wire">{words.map((word, i) => i === 0 ? word : [<wbr key={i} />, word])}</code>;
}

/** What is running, in a line. */
function Running({ issuer, persistent, login, profile, directory, endpoints }: HomeProps): VNode {
  const discovery = endpoints.find(({ url }) => url.includes("/.well-known/openid-configuration")) ??
    endpoints.find(({ url }) => url.includes("/.well-known/"));
  const user = directory?.users[0]?.sub ?? "the first user";
  return (
    <p class="aside running">
      Issuer <Code text={issuer} />
      {discovery && (
        <>
          {" "}(<a href={new URL(discovery.url).pathname}>discovery document</a>)
        </>
      )}
      {profile !== undefined && (
        <>
          {" "}· profile <Code text={profile} />
        </>
      )}
      {persistent ? " · store: persistent" : " · store: memory, until the server stops"}
      {login === "page" ? " · login: on a page" : (
        <>
          {" "}· login: automatic, as <bdi>{user}</bdi>
        </>
      )}
    </p>
  );
}

/** The page at the issuer itself. */
export function Home(props: HomeProps): VNode {
  const { base, issuer, form, hasDemo, directory, endpoints, scopes, login } = props;
  const lastFlows = props.flows ?? [];
  const users = directory?.users ?? [];
  return (
    <Layout
      site={props}
      path="/"
      styles={["form", "devtools/connect"]}
      scripts={["script", ...form === undefined ? [] : ["devtools/connect"]]}
      heading={form ? "Connect an application" : "Latchkey is running"}
      opening={
        <>
          <ConfirmationNotice text={form?.confirmation} />
          <ClockNotice site={props} />
          {props.otherHost !== undefined && (
            <Notice kind="warn">
              <p>
                You opened this page at <Code text={props.otherHost} />, but clients and links use the issuer: open{" "}
                <a href={issuer}>
                  <Code text={issuer} />
                </a>. If that leads elsewhere, change the port or the issuer so that the two match.
              </p>
            </Notice>
          )}
          <p>
            This is Latchkey, an OAuth 2.1{scopes.includes("openid") && " and OpenID Connect"}{" "}
            authorization server that explains every request it rejects.
          </p>
          <Running {...props} />
          {form && <FormErrors faults={form.errors} heading="No client was created." />}
        </>
      }
    >
      <Panes>
        {form ? <Connect base={base} form={form} hasDemo={hasDemo} demoUri={props.demoUri} /> : (
          <div>
            {hasDemo && (
              <p class="ways">
                <DemoLink base={base} />
              </p>
            )}
            {directory !== undefined && (
              <Section id="connect" heading="Connect an application">
                <p>Write the client into the configuration file, and restart the server:</p>
                <div class="box">
                  <pre class="wire">{exampleConfig}</pre>
                  <CopyButton description="the configuration" />
                </div>
              </Section>
            )}
          </div>
        )}
        {directory !== undefined && (
          <div>
            <Section id="clients" heading="Clients">
              <DirectoryList
                items={directory.clients}
                none="No client is registered, so the server rejects every authorization request."
              />
              <p class="ways">
                <a href={`${base}/clients`}>All clients</a>
              </p>
            </Section>
            <Section id="users" heading="Users">
              <DirectoryList
                items={users.map(({ sub, name, href }) => ({ id: sub, name, href }))}
                none="No user is configured, so no user can log in."
              />
              {form && login === "automatic" && (
                <UserSwitch
                  action={`${base}/users`}
                  subs={users.map(({ sub }) => sub)}
                  csrfToken={form.csrfToken}
                />
              )}
              <p class="ways">
                <a href={`${base}/users`}>All users</a>
              </p>
            </Section>
          </div>
        )}
      </Panes>
      {lastFlows.length > 0 && <RecentFlows base={base} flows={lastFlows} heading="Last flows" />}
      <Section id="endpoints" heading="Configuration">
        {directory?.lines !== undefined && (
          <ConfigurationLines file={directory.lines} isPersistent={form?.isPersistent === true}>
            the clients and users above
          </ConfigurationLines>
        )}
        <details>
          <summary>{endpoints.length} endpoints and documents, {scopes.length} scope values</summary>
          <dl class="facts even">
            {endpoints.map(({ name, url }) => (
              <DefinitionItem key={url} label={<EndpointName name={name} />}>
                {/* A browser can open the metadata and the keys. */}
                {name === "jwks_uri" || url.includes("/.well-known/")
                  ? (
                    <a href={new URL(url).pathname}>
                      <Code text={url} />
                    </a>
                  )
                  : <Code text={url} />}
              </DefinitionItem>
            ))}
          </dl>
          <p id="scopes">
            A client requests some of these scope values; its token lists the granted ones:{" "}
            <Code text={scopes.join(" ")} />
          </p>
        </details>
      </Section>
    </Layout>
  );
}
