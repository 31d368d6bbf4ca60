/** The objects of `authorization_details` as the consent page shows them (RFC 9396 §12). */

import type { AuthorizationDetail } from "../../../core/store/store.ts";
import type { ConsentItem } from "../../entries/access.ts";
import type { Server } from "../../../core/server.ts";
import { printable } from "../../../core/quote_value.ts";
import { detailsTypes } from "./settings.ts";

/** Every field of every object, with the titles that the schema of its type has. */
export function describeDetails(
  { settings }: Server,
  details: readonly AuthorizationDetail[],
): readonly ConsentItem[] {
  return details.map((detail) => {
    const { [detail.type]: definition } = detailsTypes(settings) ?? {};
    const properties = definition?.schema.properties as Record<string, { title?: unknown } | undefined> | undefined;
    const fields = Object.entries(detail).filter(([name]) => name !== "type").flatMap(([name, value]) => {
      const title = properties?.[name]?.title;
      return showFields(typeof title === "string" ? title : printable(name), value);
    });
    return { type: detail.type, title: definition?.title, fields };
  });
}

function showFields(label: string, value: unknown): ConsentItem["fields"] {
  if (Array.isArray(value)) {
    if (value.some(isStructure)) return value.flatMap((item, i) => showFields(`${label} ${i + 1}`, item));
    return [{ label, values: value.map(showValue) }];
  }
  const inner = isStructure(value) ? Object.entries(value) : [];
  if (inner.length > 0) return inner.flatMap(([name, item]) => showFields(`${label} › ${printable(name)}`, item));
  return [{ label, values: isStructure(value) ? [] : [showValue(value)] }];
}

function isStructure(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Texts without control characters that would change how the rest of the page is displayed; other values as JSON. */
function showValue(value: unknown): string {
  return typeof value === "string" && value !== "" ? printable(value) : JSON.stringify(value);
}
