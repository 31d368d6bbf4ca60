/** The parts of a recorded request that the form edits. A redacted value is kept without being shown. */

import type { Fields } from "../../../core/http/form.ts";
import { unknownEndpoint } from "../../../recorder/exchange.ts";
import type { Exchange } from "../../../recorder/exchange.ts";
import type { Masked } from "../message.ts";
import { visibleText } from "../../../server/explain/visible_text.ts";

/** A value of the form. */
export interface EditableValue {
  /** Its name, as shown. */
  readonly name: string;
  /** As shown: redacted if it is secret, with escapes instead of control characters. */
  readonly shown: string;
  /** As recorded. */
  readonly recorded: string;
  /** The name as recorded; absent if it is redacted. */
  readonly recordedName?: string;
  /** Whether the shown value is redacted. */
  readonly isRedacted: boolean;
}

/** A request that can be edited. */
export interface EditableRequest {
  readonly method: string;
  readonly path: string;
  readonly query: readonly EditableValue[];
  readonly form: readonly EditableValue[];
  readonly headers: readonly EditableValue[];
  /** A body that is not a form; absent without one. */
  readonly body?: EditableValue;
  /** Whether the browser sends it; otherwise this server sends it to itself. */
  readonly inBrowser: boolean;
}

/** The headers to edit. All others follow from the connection or belong to a browser. */
const editedHeaders = ["authorization", "dpop", "content-type", "accept"];

/**
 * Whether a request can be sent again: an authorization request, or a request of a client that is no GET of a document.
 */
export function isEditable({ endpoint, caller, request: { method } }: Exchange): boolean {
  if (endpoint === "authorize") return method !== "HEAD";
  if (caller === "any") return endpoint !== unknownEndpoint && ["POST", "PUT", "DELETE"].includes(method);
  return caller === "client" || caller === "resource client";
}

/** The editable parts of an exchange, and of the same one redacted. */
export function editableRequest({ original, masked }: Masked<Exchange>): EditableRequest {
  const { method, path, query, form, headers, body } = original.request;
  const inBrowser = original.endpoint === "authorize";
  const shownHeaders = masked.request.headers;
  return {
    method,
    path,
    inBrowser,
    query: pairUp(query, masked.request.query),
    form: pairUp(form, masked.request.form),
    headers: inBrowser
      ? []
      : editedHeaders.flatMap((name) =>
        headers[name] === undefined ? [] : [editableValue(name, headers[name], name, shownHeaders[name])]
      ),
    ...form.length === 0 && body !== undefined && {
      body: editableValue("body", body, "body", masked.request.body),
    },
  };
}

/** Redaction keeps the order of the fields. */
function pairUp(recorded: Fields, shown: Fields): EditableValue[] {
  return recorded.map(([name, value], i) => {
    const [shownName, shownValue] = shown[i] ?? [];
    return editableValue(name, value, shownName, shownValue);
  });
}

function editableValue(name: string, value: string, maskedName = name, maskedValue = ""): EditableValue {
  return {
    name: visibleText(maskedName),
    shown: visibleText(maskedValue),
    recorded: value,
    ...maskedName === name && { recordedName: name },
    isRedacted: maskedValue !== value,
  };
}
