/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** Something to fill in: its label, what it is for, what was wrong with it, and the control, tied together for all. */

import type { VNode } from "preact";
import type { FieldFault } from "../app/pages.ts";
import { Notice } from "./notice.tsx";

/** One field of a form. */
export interface FieldProps {
  /** The name it is sent under; with it, `{name}-hint` and `{name}-fault` become ids. */
  readonly name: string;
  readonly label: string;
  /** What it is for, or what it must look like. */
  readonly hint: string;
  readonly value?: string;
  readonly faults?: readonly FieldFault[];
  /** More than 1: a field of that many lines. Default: 1. */
  readonly lines?: number;
  /** Whether the browser may send the form without it. Default: false. */
  readonly optional?: boolean;
}

/** A labelled text field. Whatever is typed is kept as it is: no capitals, no spelling. */
export function Field({ name, label, hint, value = "", faults = [], lines = 1, optional = false }: FieldProps): VNode {
  const own = faults.filter((fault) => fault.field === name);
  const described = own.length > 0 ? `${name}-hint ${name}-fault` : `${name}-hint`;
  const attributes = {
    id: name,
    name,
    required: !optional,
    autocomplete: "off" as const,
    autocapitalize: "none" as const,
    spellcheck: false,
    "aria-describedby": described,
    "aria-invalid": own.length > 0 ? "true" as const : undefined,
  };
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <p id={`${name}-hint`}>{hint}</p>
      <FieldFaults name={name} faults={own} />
      {lines > 1
        ? <textarea {...attributes} rows={lines}>{value}</textarea>
        : <input {...attributes} type="text" value={value} />}
    </div>
  );
}

/** What was wrong with one field: expected, found, how to mend it. */
export function FieldFaults(
  { name, faults }: { readonly name: string; readonly faults: readonly FieldFault[] },
): VNode | null {
  if (faults.length === 0) return null;
  return (
    <div id={`${name}-fault`}>
      {faults.map(({ expected, found, mend }) => (
        <p class="fault" key={expected}>✗ Expected {expected}, found {found}. {mend}</p>
      ))}
    </div>
  );
}

/** Says above a form that it came back, and leads to each field that has to be mended; announced to those who listen. */
export function Refusals(
  { heading, faults }: { readonly heading: string; readonly faults: readonly FieldFault[] },
): VNode | null {
  if (faults.length === 0) return null;
  return (
    <Notice kind="bad">
      <p>
        <strong>{heading}</strong>
      </p>
      <ul>
        {faults.map(({ field, expected }) => (
          <li key={field + expected}>
            <a href={`#${field}`}>{field}</a>: expected {expected}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
