/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** A form field: label, hint, errors and control, linked for screen readers. */

import type { VNode } from "preact";
import type { FieldError } from "../app/pages.ts";
import { Notice } from "./notice.tsx";

/** One field of a form. */
export interface FieldProps {
  /** The name it is sent under; with it, `{name}-hint` and `{name}-fault` become ids. */
  readonly name: string;
  readonly label: string;
  /** What it is for, or what it must look like. */
  readonly hint: string;
  readonly value?: string;
  readonly errors?: readonly FieldError[];
  /** More than 1: a field of that many lines. Default: 1. */
  readonly lines?: number;
  /** Whether the browser may send the form without it. Default: false. */
  readonly optional?: boolean;
}

/** A labelled text field, without autocorrection. */
export function Field({ name, label, hint, value = "", errors = [], lines = 1, optional = false }: FieldProps): VNode {
  const ownErrors = errors.filter((error) => error.field === name);
  const described = ownErrors.length > 0 ? `${name}-hint ${name}-fault` : `${name}-hint`;
  const attributes = {
    id: name,
    name,
    required: !optional,
    autocomplete: "off" as const,
    autocapitalize: "none" as const,
    spellcheck: false,
    "aria-describedby": described,
    "aria-invalid": ownErrors.length > 0 ? "true" as const : undefined,
  };
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <p id={`${name}-hint`}>{hint}</p>
      <FieldErrors name={name} faults={ownErrors} />
      {lines > 1
        ? <textarea {...attributes} rows={lines}>{value}</textarea>
        : <input {...attributes} type="text" value={value} />}
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
        <p class="fault" key={expected}>✗ Expected {expected}, received {received}. {hint}</p>
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
        {errors.map(({ field, expected }) => (
          <li key={field + expected}>
            <a href={`#${field}`}>{field}</a>: expected {expected}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
