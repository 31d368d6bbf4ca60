/** @jsxImportSource preact */
/** The page that edits the metadata of a client. */

import type { VNode } from "preact";
import { type EditForm, Field, FormErrors, OlderForm, RetryField, VersionField } from "../../../server/pages/field.tsx";
import { Layout, type Site, Stylesheet } from "../../../server/pages/layout.tsx";
import { ChangeLifetime } from "./configuration_lines.tsx";
import { Notice } from "../../../server/pages/notice.tsx";
import { Code, CodeItem, CodeList } from "../../../server/pages/value.tsx";

/** The props of the page. */
export interface ClientEditProps extends Site {
  /** The client. */
  readonly client: { readonly id: string; readonly name?: string; readonly href: string; readonly hasSecret: boolean };
  /** The members that a link proposes to change. Default: none. */
  readonly proposed?: readonly string[];
  /** All members of client metadata, each with an example in JSON. */
  readonly memberExamples: readonly { readonly name: string; readonly example: string }[];
  /** The metadata, the CSRF token and the errors. */
  readonly form: EditForm;
}

/** The page at `/clients/{id}?edit`. */
export function ClientEdit({ client, proposed = [], memberExamples, form, ...site }: ClientEditProps): VNode {
  const { metadata = "" } = form.values;
  return (
    <Layout
      site={site}
      path={`/clients/${client.id}`}
      head={<Stylesheet site={site} name="form" />}
      heading={`Edit ${client.name ?? client.id}`}
      opening={
        <>
          <FormErrors faults={form.errors} heading="Nothing was changed." />
          <OlderForm form={form} name={client.name ?? client.id} />
          {proposed.length > 0 && (
            <Notice kind="warn">
              <p>
                The rejected request needs another value of <CodeList texts={proposed} between=", " />{" "}
                than the client has. The form below proposes this value. Save the form if the value is right.
              </p>
            </Notice>
          )}
          <p>
            The metadata of <Code text={client.id} />. A member that is absent has its default.{" "}
            <ChangeLifetime isPersistent={form.isPersistent === true} />
          </p>
        </>
      }
    >
      <form class="form" method="post" action={client.href}>
        <input type="hidden" name="form_token" value={form.csrfToken} />
        <VersionField form={form} />
        <RetryField form={form} />
        <Field
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
          <button type="submit" class="button" name="action" value="save">Save the metadata</button>
          <a href={client.href}>Cancel</a>
        </p>
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
