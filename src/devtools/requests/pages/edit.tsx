/** @jsxImportSource preact */
/** The page that edits a recorded request and sends it again. */

import type { VNode } from "preact";
import { type FieldError, FieldErrors, FormErrors } from "../../../server/pages/field.tsx";
import { Layout, type Site, Stylesheet } from "../../../server/pages/layout.tsx";
import { Notice } from "../../../server/pages/notice.tsx";
import { Code } from "../../../server/pages/value.tsx";

export type { FieldError } from "../../../server/pages/field.tsx";

/** A parameter or a header. */
export interface EditRow {
  /** The name of its field, also its ID. */
  readonly id: string;
  readonly name: string;
  readonly value: string;
  readonly omitted: boolean;
  /** The recorded value as redaction shows it; absent if it is not secret. */
  readonly redacted?: string;
}

/** The page of one request. */
export interface EditProps extends Site {
  /** The number of the exchange. */
  readonly number: number;
  /** What it is: `Code exchange`. */
  readonly title: string;
  /** Method and path. */
  readonly line: string;
  readonly query: readonly EditRow[];
  readonly form: readonly EditRow[];
  readonly headers: readonly EditRow[];
  /** A body that is not a form; absent without one. */
  readonly body?: string;
  /** Whether the request can have a form as its body. */
  readonly hasForm: boolean;
  /** Whether the browser sends it; otherwise the server sends it to itself. */
  readonly inBrowser: boolean;
  readonly errors: readonly FieldError[];
  /** Whether the outcome will be recorded. */
  readonly isRecording: boolean;
  readonly csrfToken: string;
}

export function Edit(props: EditProps): VNode {
  const { base, number, title, line, query, form, headers, body, hasForm, inBrowser, errors, csrfToken } = props;
  return (
    <Layout
      site={props}
      path="/flows/edit"
      head={<Stylesheet site={props} name="devtools/edit" />}
      heading={`Edit and send again: ${title}`}
    >
      <FormErrors heading="Nothing was sent." faults={errors} />
      {!props.isRecording && (
        <Notice kind="warn">
          <p>Recording is off, so no page will show the response. Start recording on the page of all flows.</p>
        </Notice>
      )}
      <p>
        {inBrowser ? "This browser sends" : "This server, instead of the client, sends"} <Code text={line} />{" "}
        {inBrowser ? "as a new login. The client receives the response and may reject it." : "to itself."}{" "}
        The request becomes a step of the <a href={`${base}/flows/of/${number}`}>flow</a>, marked as an experiment.
      </p>
      <form id="send" class="form edit" method="post" action={`${base}/flows/edit/${number}`}>
        <input type="hidden" name="form_token" value={csrfToken} />
        {inBrowser && <Rows legend="Parameters" kind="parameter" rows={query} errors={errors} />}
        {hasForm && <Rows legend="Form in the body" kind="parameter" rows={form} errors={errors} />}
        {body !== undefined && (
          <div class="field">
            <label for="body">Body</label>
            <FieldErrors
              name="body"
              faults={errors.filter(({ field }) => field === "body")}
            />
            <textarea id="body" name="body" rows={8} spellcheck={false}>{body}</textarea>
          </div>
        )}
        {!inBrowser && (
          <details class="quiet" open={!hasForm || errors.length > 0 || headers.some(isCredential)}>
            <summary>Headers and query</summary>
            <Rows legend="Headers" kind="header" rows={headers} errors={errors} />
            <Rows legend="Query" kind="parameter" rows={query} errors={errors} />
          </details>
        )}
        <p class="ways">
          <button type="submit" class="button">Send the request</button>
          <a href={`${base}/flows/of/${number}`}>Back to the flow</a>
        </p>
      </form>
      <p class="aside">
        {inBrowser
          ? "Redacted values are empty here, because the URL would show them: type them again."
          : "If you leave a redacted value unchanged, the server sends the recorded value."}{" "}
        To repeat a parameter, write its name in an empty row.
      </p>
    </Layout>
  );
}

/** Whether a header authenticates the client, so that it matters at first sight. */
function isCredential({ name }: EditRow): boolean {
  return name === "authorization" || name === "dpop";
}

interface RowsProps {
  readonly legend: string;
  readonly kind: "parameter" | "header";
  readonly rows: readonly EditRow[];
  readonly errors: readonly FieldError[];
}

/** One line per parameter: its name, its value, and whether to leave it out. */
function Rows({ legend, kind, rows, errors }: RowsProps): VNode {
  return (
    <fieldset>
      <legend>{legend}</legend>
      {rows.map(({ id, name, value, omitted, redacted }) => {
        const label = name === "" ? `new ${kind}, ${id.replace("_", " ")}` : name;
        const own = errors.filter(({ field }) => field === id || field === `${id}_name`);
        return (
          <div class="field row" key={id}>
            <input
              id={`${id}_name`}
              name={`${id}_name`}
              value={name}
              placeholder={`new ${kind}`}
              aria-label={`Name of the ${label}`}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
            />
            <textarea
              id={id}
              name={id}
              rows={Math.min(6, 1 + Math.floor(value.length / 64))}
              aria-label={`Value of the ${label}`}
              aria-invalid={own.length > 0 ? "true" : undefined}
              aria-describedby={own.length > 0 ? `${id}-fault` : undefined}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
            >
              {value}
            </textarea>
            {(name !== "" || value !== "") && (
              <label>
                <input type="checkbox" name={`${id}_omit`} value="yes" checked={omitted} />{" "}
                leave out<span class="unseen">{` the ${label}`}</span>
              </label>
            )}
            {redacted !== undefined && value === "" && (
              <p>
                Recorded as <Code text={redacted} />
              </p>
            )}
            <FieldErrors name={id} faults={own} />
          </div>
        );
      })}
    </fieldset>
  );
}
