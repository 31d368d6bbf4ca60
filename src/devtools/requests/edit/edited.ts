/** The request that the form describes: the recorded one with what the user changed, added and left out. */

import type { Fields } from "../../../core/http/form.ts";
import type { Params } from "../../../core/http/params.ts";
import { redactedPart } from "../../../recorder/redact.ts";
import type { EditRow, FieldError } from "../pages/edit.tsx";
import type { EditableRequest, EditableValue } from "./editable.ts";

export interface EditedRequest {
  readonly query: Fields;
  readonly form: Fields;
  readonly headers: Fields;
  readonly body?: string;
}

/** The sections of the form, each with the number of its empty rows. */
const emptyRows = { query: 1, form: 2, headers: 1 } as const;

type SectionName = keyof typeof emptyRows;

/** Headers that decide where a request goes, who sent it, or how long it is. */
const forbiddenHeaders =
  /^(?:host|cookie|connection|content-length|transfer-encoding|forwarded|x-forwarded-.*|x-real-ip)$/;

const headerName = /^[!#$%&'*+.^_`|~\w-]+$/;

/** Reads the form. The errors name its fields; with any error, nothing must be sent. */
export function readEdited(
  params: Params,
  recorded: EditableRequest,
): { readonly request: EditedRequest; readonly errors: readonly FieldError[] } {
  const errors: FieldError[] = [];
  const value = (field: string, original: EditableValue | undefined, name: string, typed: string): string => {
    const isKept = original !== undefined && original.name === name && original.shown === typed;
    if (isKept && (!original.isRedacted || !recorded.inBrowser)) return original.recorded;
    if (redactedPart.test(typed)) errors.push(redactedError(field, recorded.inBrowser));
    return typed;
  };
  const rows = (section: SectionName): Fields =>
    readRows(params, recorded, section).flatMap(({ id, name, value: typed, omitted }, i) => {
      const error = section === "headers" && !omitted && name !== "" ? findHeaderError(id, name, typed) : undefined;
      if (error !== undefined) errors.push(error);
      if (omitted || name === "") return [];
      const original = recorded[section][i];
      const sent = value(id, original, name, typed);
      const sentName = original?.name === name ? original.recordedName ?? name : name;
      return [[sentName, section === "headers" ? toHeader(name, sent) : sent] as const];
    });
  const typedBody = normalizeLines(params.get("body") ?? "");
  const body = recorded.body && value("body", shownWithLines(recorded.body), "body", typedBody);
  return {
    request: { query: rows("query"), form: rows("form"), headers: rows("headers"), ...body && { body } },
    errors,
  };
}

/** The rows of a section as they were typed. */
export function readRows(params: Params, recorded: EditableRequest, section: SectionName): EditRow[] {
  return Array.from({ length: recorded[section].length + emptyRows[section] }, (_, i) => {
    const id = `${section}_${i}`;
    return {
      id,
      name: params.get(`${id}_name`)?.trim() ?? "",
      value: normalizeLines(params.get(id) ?? ""),
      omitted: params.get(`${id}_omit`) !== undefined,
    };
  });
}

/** The rows of a section before the first change. */
export function recordedRows(recorded: EditableRequest, section: SectionName): EditRow[] {
  const empty = Array.from({ length: emptyRows[section] }, () => ({ name: "", shown: "", isRedacted: false }));
  return [...recorded[section], ...empty].map(({ name, shown, isRedacted }, i) => ({
    id: `${section}_${i}`,
    name,
    value: recorded.inBrowser && isRedacted ? "" : normalizeLines(shown),
    omitted: false,
    ...isRedacted && { redacted: shown },
  }));
}

function shownWithLines(original: EditableValue): EditableValue {
  return { ...original, shown: normalizeLines(original.shown) };
}

/** A browser sends each line break of a text area as CR LF. */
function normalizeLines(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function redactedError(field: string, inBrowser: boolean): FieldError {
  return {
    field,
    expected: "the whole value",
    received: "a redacted value",
    hint: inBrowser
      ? "Type the value again: the URL would show it, so it is not filled in."
      : "Type the value again. The recorded value is sent only if neither its name nor its redacted text was changed.",
  };
}

function findHeaderError(field: string, name: string, value: string): FieldError | undefined {
  if (!headerName.test(name) || forbiddenHeaders.test(name.toLowerCase())) {
    return {
      field: `${field}_name`,
      expected: "the name of a header that a client may set",
      received: JSON.stringify(name.slice(0, 100)),
      hint: "Host, cookies, lengths and the headers of proxies cannot be edited.",
    };
  }
  // Redacted values contain an ellipsis, and are replaced before they are sent.
  if (!/[^\t\x20-\x7e…]/.test(value)) return undefined;
  return { field, expected: "one line of ASCII characters", received: "other characters", hint: "Encode the value." };
}

/** Basic credentials may be typed as `Basic id:secret`; base64 never contains a colon (RFC 7617 §2). */
function toHeader(name: string, value: string): string {
  const [, credentials] = name.toLowerCase() === "authorization"
    ? /^basic +([!-9;-~]*:[\x20-\x7e]*)$/i.exec(value) ?? []
    : [];
  return credentials === undefined ? value : `Basic ${btoa(credentials)}`;
}
