/** @jsxImportSource preact */
/** A form field: label, hint, errors and control, linked for screen readers. */

import type { InputHTMLAttributes, VNode } from "preact";
import type { ConfigIssue } from "../../core/rules/configuration_error.ts";
import { Notice } from "./notice.tsx";

export interface FieldError extends Pick<ConfigIssue, "expected" | "received" | "hint"> {
  readonly field: string;
}

/** The state of a form that changes clients or users: empty, or returned with errors. */
export interface EditForm {
  readonly csrfToken: string;
  /** The values of the fields, by name. */
  readonly values: Readonly<Record<string, string>>;
  /** The errors; empty for a new form. */
  readonly errors: readonly FieldError[];
  /** What the form before this page changed. Absent: nothing. */
  readonly confirmation?: string;
  /** Whether the form before this page was not saved, because the record was changed after it was opened. */
  readonly isOlder?: boolean;
  /** Whether changes are saved in the store. Default: in memory. */
  readonly isPersistent?: boolean;
}

interface FieldProps {
  /** The name of the field, also its ID; `{name}-hint` and `{name}-fault` are IDs, too. */
  readonly name: string;
  readonly label: string;
  /** Its purpose or format. */
  readonly hint?: string;
  readonly value?: string;
  readonly errors?: readonly FieldError[];
  /** The number of lines. Default: 1. */
  readonly lines?: number;
  /** Whether it may stay empty. Default: false. */
  readonly optional?: boolean;
  /** The only valid values; an empty one is the default. Absent: any text. */
  readonly choices?: readonly string[];
  /** What the empty choice means. Default: `default`. */
  readonly emptyChoice?: string;
  /** Values to suggest beside any other text, each with its label. */
  readonly suggestions?: readonly (readonly [value: string, label: string])[];
  /** Attributes of an input of one line, instead of its own. Default: none. */
  readonly input?: InputHTMLAttributes;
}

/** A labelled text field, without autocorrection, or a choice. */
export function FieldInput(
  { name, label, hint, value = "", errors = [], lines = 1, optional = false, ...given }: FieldProps,
): VNode {
  const { choices, emptyChoice = "default", suggestions, input = {} } = given;
  const ownErrors = errors.filter((error) => error.field === name);
  const described = [hint && `${name}-hint`, ownErrors.length > 0 && `${name}-fault`].filter(Boolean).join(" ");
  const attributes = {
    id: name,
    name,
    required: !optional,
    autocomplete: "off" as const,
    autocapitalize: "none" as const,
    spellcheck: false,
    "aria-describedby": described || undefined,
    "aria-invalid": ownErrors.length > 0 ? "true" as const : undefined,
  };
  const line = { type: "text", value, list: suggestions && `${name}-known` };
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {hint !== undefined && <p id={`${name}-hint`}>{hint}</p>}
      <FieldErrors name={name} faults={ownErrors} />
      {choices !== undefined
        ? (
          <select id={name} name={name} aria-describedby={attributes["aria-describedby"]}>
            {choices.map((choice) => (
              <option key={choice} value={choice} selected={choice === value}>{choice || emptyChoice}</option>
            ))}
          </select>
        )
        : lines > 1
        ? <textarea {...attributes} rows={lines}>{value}</textarea>
        : <input {...{ ...attributes, ...line, ...input } as InputHTMLAttributes} />}
      {suggestions !== undefined && (
        <datalist id={`${name}-known`}>
          {suggestions.map(([value, label]) => <option key={label} value={value} label={label} />)}
        </datalist>
      )}
    </div>
  );
}

/** The errors of one field: expected, received, how to fix it. */
export function FieldErrors(
  { name, faults: errors }: { readonly name: string; readonly faults: readonly FieldError[] },
): VNode | null {
  if (errors.length === 0) return null;
  return (
    <div id={`${name}-fault`}>
      {errors.map(({ expected, received, hint }) => (
        <p class="fault" key={expected + received}>✗ Expected {expected}, received {received}. {hint}</p>
      ))}
    </div>
  );
}

/** The errors of a form above it, each with a link to its field; announced to screen readers. */
export function FormErrors(
  { heading, faults: errors }: { readonly heading: string; readonly faults: readonly FieldError[] },
): VNode | null {
  if (errors.length === 0) return null;
  return (
    <Notice kind="bad">
      <p>
        <strong>{heading}</strong>
      </p>
      <ul>
        {errors.map(({ field, expected, received, hint }) => (
          <li key={field + expected + received}>
            <a href={`#${field}`}>{field}</a>: expected {expected}, received {received}. {hint}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** Why a form that is older than its record was not saved. */
export function OlderForm(
  { form: { isOlder = false }, name }: { readonly form: EditForm; readonly name: string },
): VNode | null {
  if (!isOlder) return null;
  return (
    <Notice kind="bad">
      <p>
        <strong>Nothing was saved:</strong> <bdi>{name}</bdi> was changed after your form was opened. The form below has
        {" "}
        the current values.
      </p>
    </Notice>
  );
}

/** The version of the record that the form shows, in a hidden field. */
export function VersionField({ form: { values: { version } } }: { readonly form: EditForm }): VNode {
  return <input type="hidden" name="version" value={version} />;
}

/** The authorization request that the next page offers to repeat, in a hidden field. */
export function RetryField({ form: { values: { retry = "" } } }: { readonly form: EditForm }): VNode | null {
  return retry === "" ? null : <input type="hidden" name="retry" value={retry} />;
}
