/** @jsxImportSource preact */
/** The page that edits all metadata of a client. */

import type { VNode } from "preact";
import { type EditForm, Field, FormErrors, OlderForm, RetryField, VersionField } from "../../../server/pages/field.tsx";
import { Layout, type Site, Stylesheet } from "../../../server/pages/layout.tsx";
import { ChangeLifetime } from "./configuration_lines.tsx";
import { Notice } from "../../../server/pages/notice.tsx";
import { Code, CodeList } from "../../../server/pages/value.tsx";

/** A member of client metadata as a field of the form. */
export interface MetadataField {
  /** The name of the member (RFC 7591 §2). */
  readonly name: string;
  /** `flag`: a checkbox; `array`: a text of several lines; `object`: JSON. */
  readonly kind: "text" | "flag" | "integer" | "array" | "object" | "function" | "any";
  /** Its format. */
  readonly hint?: string;
  /** Its value as text; absent: the default. */
  readonly value?: string;
  /** The only valid values. */
  readonly choices?: readonly string[];
}

/** Fields of one topic. */
export interface MetadataGroup {
  /** The topic. */
  readonly title: string;
  /** The members. */
  readonly fields: readonly MetadataField[];
}

/** The props of the page. */
export interface ClientEditProps extends Site {
  /** The client. */
  readonly client: { readonly id: string; readonly name?: string; readonly href: string; readonly hasSecret: boolean };
  /** The members that a link proposes to change. Default: none. */
  readonly changed?: readonly string[];
  /** The fields. */
  readonly groups: readonly MetadataGroup[];
  /** The CSRF token and the errors. */
  readonly form: EditForm;
}

function MetadataInput({ field, form }: { readonly field: MetadataField; readonly form: EditForm }): VNode {
  const { name, kind, value, hint, choices } = field;
  if (kind === "flag") {
    return (
      <label class="choice">
        <input type="checkbox" id={name} name={name} checked={value === "on"} />
        <Code text={name} />
      </label>
    );
  }
  return (
    <Field
      name={name}
      label={name}
      hint={hint}
      value={value}
      errors={form.errors}
      lines={kind === "array" ? 2 : kind === "object" ? 4 : 1}
      choices={choices && ["", ...choices]}
      optional
    />
  );
}

/** The page at `/clients/{id}?edit`. */
export function ClientEdit({ client, changed = [], groups, form, ...site }: ClientEditProps): VNode {
  const { errors } = form;
  return (
    <Layout
      site={site}
      path={`/clients/${client.id}`}
      head={<Stylesheet site={site} name="form" />}
      heading={`Edit ${client.name ?? client.id}`}
      opening={
        <>
          <FormErrors faults={errors} heading="Nothing was changed." />
          <OlderForm form={form} name={client.name ?? client.id} />
          {changed.length > 0 && (
            <Notice kind="warn">
              <p>
                The rejected request needs another value of <CodeList texts={changed} between=", " />{" "}
                than the client has. The form below proposes this value. Save the form if the value is right.
              </p>
            </Notice>
          )}
          <p>
            All client metadata of <Code text={client.id} />. An empty field means the default.{" "}
            <ChangeLifetime isPersistent={form.isPersistent === true} />
          </p>
        </>
      }
    >
      <form class="form settings metadata" method="post" action={client.href}>
        <input type="hidden" name="form_token" value={form.csrfToken} />
        <VersionField form={form} />
        <RetryField form={form} />
        {groups.map(({ title, fields }, i) => (
          <details
            key={title}
            open={fields.some(({ name }) => changed.includes(name) || errors.some(({ field }) => field === name)) ||
              i === 0 && changed.length === 0}
          >
            <summary>
              <strong>{title}</strong>{" "}
              <span class="aside">
                {fields.filter(({ value }) => value !== undefined).length} of {fields.length} set
              </span>
            </summary>
            <div class="topic">
              {fields.map((field) => <MetadataInput key={field.name} field={field} form={form} />)}
            </div>
          </details>
        ))}
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
    </Layout>
  );
}
