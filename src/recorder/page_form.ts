/** The hidden inputs of the forms in a page of this server: what a browser will send back without being asked. */

import type { Fields } from "../http/form.ts";

/** A form that is posted. */
interface PageForm {
  readonly action: string;
  /** Hidden inputs alone. */
  readonly fields: Fields;
  /** Whether the page sends it by itself. */
  readonly autoSubmits: boolean;
}

const attributesPattern = `(?:"[^"]*"|'[^']*'|[^>"'])*`;
const formPattern = new RegExp(`<form\\b(${attributesPattern})>([^]*?)</form>`, "gi");
const inputPattern = new RegExp(`<input\\b(${attributesPattern})>`, "gi");
const attributePattern = /\s([a-z-]+)(?:="([^"]*)")?/g;
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Reads the forms of a page as this server draws them. */
export function parsePageForms(html: string): PageForm[] {
  const forms: PageForm[] = [];
  for (const [, opening, content] of html.matchAll(formPattern)) {
    const formAttributes = parseAttributes(opening!);
    if (formAttributes.get("method")?.toLowerCase() !== "post") continue;
    const hidden = [...content!.matchAll(inputPattern)].map(([, text]) => parseAttributes(text!)).filter((
      inputAttributes,
    ) => inputAttributes.get("type") === "hidden" && inputAttributes.has("name"));
    forms.push({
      action: formAttributes.get("action") ?? "",
      fields: hidden.map((inputAttributes) => [inputAttributes.get("name")!, inputAttributes.get("value") ?? ""]),
      autoSubmits: formAttributes.has("data-submit"),
    });
  }
  return forms;
}

function parseAttributes(text: string): Map<string, string> {
  return new Map([...text.matchAll(attributePattern)].map(([, name, value = ""]) => [name!, decodeEntities(value)]));
}

/** What an attribute's text means once character references are read. */
function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]+)|#(\d+)|([a-z]+));/gi,
    (whole, hex, decimal, name) =>
      name ? entities[name] ?? whole : String.fromCodePoint(hex ? parseInt(hex, 16) : Number(decimal)),
  );
}
