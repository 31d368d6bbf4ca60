/** The forms in a page of this server, with their hidden inputs. */

import type { Fields } from "../http/form.ts";

/** A form with method POST. */
interface PageForm {
  readonly action: string;
  /** The hidden inputs only. */
  readonly fields: Fields;
  /** Whether the script of the page submits it. */
  readonly autoSubmits: boolean;
}

const attributesPattern = `(?:"[^"]*"|'[^']*'|[^>"'])*`;
const formPattern = new RegExp(`<form\\b(${attributesPattern})>([^]*?)</form>`, "gi");
const inputPattern = new RegExp(`<input\\b(${attributesPattern})>`, "gi");
const attributePattern = /\s([a-z-]+)(?:="([^"]*)")?/g;
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Parses the forms of a page that this server rendered. */
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

/** Decodes character references. */
function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]+)|#(\d+)|([a-z]+));/gi,
    (whole, hex, decimal, name) =>
      name ? entities[name] ?? whole : String.fromCodePoint(hex ? parseInt(hex, 16) : Number(decimal)),
  );
}
