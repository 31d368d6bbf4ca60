/** @jsxImportSource preact */
/** The page that edits the metadata of a client, and shows what a rejected request would need. */

import type { VNode } from "preact";
import type { ClientMetadata } from "../../../server/config/client_metadata.ts";
import { Comparison } from "../../../server/pages/comparison.tsx";
import {
  type EditForm,
  FieldInput,
  FormErrors,
  OlderForm,
  RetryField,
  VersionField,
} from "../../../server/pages/field.tsx";
import { Layout, Section, type Site } from "../../../server/pages/layout.tsx";
import { Code, CodeItem } from "../../../server/pages/value.tsx";
import { type ClientSnippet, ClientSnippets } from "./client_snippets.tsx";
import { ChangeLifetime } from "./configuration_lines.tsx";

/** What the link of a rejected request proposes to change. */
export interface ProposalProps {
  readonly member: keyof ClientMetadata & keyof typeof proposals;
  /** What the application sent. */
  readonly sent: string;
  /** What the client has registered. */
  readonly registered: readonly string[];
  /** The registered value that the application probably meant. Absent: none is similar. */
  readonly nearest?: string;
  /** The metadata after the change, by lines. */
  readonly lines: readonly { readonly text: string; readonly isAdded: boolean }[];
  /** The lines of the settings for each library that contain the value. Empty: no library has one. */
  readonly snippets: readonly ClientSnippet[];
  readonly query: URLSearchParams;
}

/** What an application sends for a member: the parameter, and its name in a sentence. */
const proposals = {
  redirect_uris: { parameter: "redirect_uri", name: "redirect URI" },
  post_logout_redirect_uris: { parameter: "post_logout_redirect_uri", name: "post-logout redirect URI" },
  scope: { parameter: "scope", name: "scope" },
  grant_types: { parameter: "grant_type", name: "grant type" },
  token_endpoint_auth_method: { parameter: "client_secret", name: "authentication method" },
} as const;

export interface ClientEditProps extends Site {
  readonly client: { readonly id: string; readonly name?: string; readonly href: string; readonly hasSecret: boolean };
  /** The change that a link proposes. Default: none. */
  readonly proposed?: ProposalProps;
  /** All members of client metadata, each with an example in JSON. */
  readonly memberExamples: readonly { readonly name: string; readonly example: string }[];
  /** The metadata, the CSRF token and the errors. */
  readonly form: EditForm;
}

/** The page at `/clients/{id}?edit`. */
export function ClientEdit({ client, proposed, memberExamples, form, ...site }: ClientEditProps): VNode {
  const { metadata = "", retry = "" } = form.values;
  const name = client.name ?? client.id;
  const fields = (
    <>
      <FieldInput
        name="metadata"
        label="Metadata"
        hint="A JSON object, with the members of a client in the configuration file."
        value={metadata}
        errors={form.errors}
        lines={Math.min(30, Math.max(10, metadata.split("\n").length))}
      />
      {client.hasSecret && (
        <label class="choice">
          <input type="checkbox" name="new_secret" />
          <span>Replace the secret with a new one, which the next page shows</span>
        </label>
      )}
      <p class="ways">
        <button type="submit" class={proposed ? "button plain" : "button"} name="action" value="save">
          Save the metadata
        </button>
        {proposed === undefined && <a href={client.href}>Cancel</a>}
      </p>
    </>
  );
  return (
    <Layout
      site={site}
      path={`/clients/${client.id}`}
      styles={["form", "devtools/connect"]}
      heading={proposed ? `A ${proposals[proposed.member].name} that is not registered` : `Edit ${name}`}
      opening={
        <>
          <FormErrors faults={form.errors} heading="Nothing was changed." />
          <OlderForm form={form} name={name} />
          {proposed ? <Sent proposed={proposed} id={client.id} /> : (
            <p>
              The metadata of <Code text={client.id} />. A member that is absent has its default.{" "}
              <ChangeLifetime isPersistent={form.isPersistent === true} />
            </p>
          )}
        </>
      }
    >
      {proposed && <Correction proposed={proposed} path={client.href} />}
      <form class="form" method="post" action={client.href}>
        <input type="hidden" name="form_token" value={form.csrfToken} />
        <VersionField form={form} />
        <RetryField form={form} />
        {proposed === undefined ? fields : (
          <>
            <Section id="allow" heading={proposed.nearest === undefined ? "Allow it here" : "Or allow it here"}>
              <p>
                The client then has this metadata. <ChangeLifetime isPersistent={form.isPersistent === true} />
              </p>
              <div class="box">
                <pre class="wire code" tabIndex={0} role="region" aria-label="The metadata after the change">
                  {proposed.lines.map(({ text, isAdded }, i) => {
                    const line = `${text}\n`;
                    return isAdded ? <ins key={i}>{line}</ins> : line;
                  })}
                </pre>
              </div>
              <p class="ways">
                <button
                  type="submit"
                  class={proposed.nearest === undefined ? "button" : "button plain"}
                  name="action"
                  value="add"
                >
                  {retry === "" ? "Add" : "Add and try again"}
                </button>
                <a href={client.href}>Cancel</a>
              </p>
            </Section>
            <details class="quiet">
              <summary>Edit the metadata instead</summary>
              {fields}
            </details>
          </>
        )}
      </form>
      <details class="quiet">
        <summary>All members, with examples</summary>
        <dl class="facts">
          {memberExamples.map(({ name, example }) => (
            <CodeItem
              key={name}
              label={<Code text={name} />}
              text={example}
            />
          ))}
        </dl>
      </details>
    </Layout>
  );
}

/** What the application sent, and how it differs from what is registered. */
function Sent({ proposed, id }: { readonly proposed: ProposalProps; readonly id: string }): VNode {
  const { member, sent, registered, nearest } = proposed;
  const { parameter, name } = proposals[member];
  return (
    <>
      <p>
        The application sent a <Code text={parameter} /> that the client <Code text={id} /> may not use.
      </p>
      <Comparison
        expected={nearest ?? (registered.join(" or ") || `no ${name}`)}
        label="Registered"
        received={sent}
      />
    </>
  );
}

/** Where to correct the value in the application. */
function Correction({ proposed, path }: { readonly proposed: ProposalProps; readonly path: string }): VNode | null {
  const { member, nearest, registered, snippets, query } = proposed;
  const meant = nearest ?? registered[0];
  if (meant === undefined) return null;
  const { parameter, name } = proposals[member];
  return (
    <Section id="correct" heading="Correct it in your application">
      <p>
        {member === "token_endpoint_auth_method"
          ? (
            <>
              Set the authentication method of its client library to <Code text={meant} />.
            </>
          )
          : (
            <>
              Send a registered {name} as <Code text={parameter} />, such as <Code text={meant} />.
            </>
          )}
        {snippets.length > 0 && " This is the line of its settings:"}
      </p>
      <ClientSnippets
        settings={snippets}
        library={query.get("connect") ?? undefined}
        path={path}
        section="correct"
        query={[...query].filter(([name]) => name !== "connect")}
      />
    </Section>
  );
}
