/** The hidden inputs of the forms in a page of this server: what a browser will send back without being asked. */

import type { Fields } from "../http/form.ts";

/** A form that is posted. */
export interface PageForm {
  readonly action: string;
  /** Hidden inputs alone. */
  readonly fields: Fields;
  /** Whether the page sends it by itself. */
  readonly submitsItself: boolean;
}

const attributes = `(?:"[^"]*"|'[^']*'|[^>"'])*`;
const form = new RegExp(`<form\\b(${attributes})>([^]*?)</form>`, "gi");
const input = new RegExp(`<input\\b(${attributes})>`, "gi");
const attribute = /\s([a-z-]+)(?:="([^"]*)")?/g;
const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Reads the forms of a page as this server draws them. */
export function readPageForms(html: string): PageForm[] {
  const forms: PageForm[] = [];
  for (const [, opening, content] of html.matchAll(form)) {
    const own = read(opening!);
    if (own.get("method")?.toLowerCase() !== "post") continue;
    const hidden = [...content!.matchAll(input)].map(([, text]) => read(text!)).filter((one) =>
      one.get("type") === "hidden" && one.has("name")
    );
    forms.push({
      action: own.get("action") ?? "",
      fields: hidden.map((one) => [one.get("name")!, one.get("value") ?? ""]),
      submitsItself: own.has("data-submit"),
    });
  }
  return forms;
}

function read(text: string): Map<string, string> {
  return new Map([...text.matchAll(attribute)].map(([, name, value = ""]) => [name!, meaning(value)]));
}

/** What an attribute's text means once character references are read. */
function meaning(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]+)|#(\d+)|([a-z]+));/gi,
    (whole, hex, decimal, name) =>
      name ? named[name] ?? whole : String.fromCodePoint(hex ? parseInt(hex, 16) : Number(decimal)),
  );
}
