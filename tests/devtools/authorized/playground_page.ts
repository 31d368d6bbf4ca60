/** A page of the playground, as a test reads it, and its buttons. */

import { assertEquals, assertMatch } from "@std/assert";
import { parseAttributes } from "../../server/browser.ts";
import type { Browser } from "../../server/browser.ts";
import { assertPage, encode } from "../../server/harness.ts";
import type { Fields } from "../../server/harness.ts";

export const callback = "https://as.test/authorized";

/** Contents of a playground page, as shown. */
export interface Page {
  readonly html: string;
  readonly heading: string;
  /** White space made even. */
  readonly text: string;
  /** What the form sends along with whichever button; absent where there is no form. */
  readonly fields?: Readonly<Record<string, string | readonly string[]>>;
  /** The steps that can be tried, the main one first. */
  readonly steps: readonly string[];
  /** The requests and responses, as the copy buttons copy them. */
  readonly messages: readonly string[];
  /** Each verdict: its mark, and its sentence. */
  readonly verdicts: readonly string[];
}

export function unescapeHtml(text: string): string {
  const entities: Record<string, string> = { lt: "<", gt: ">", quot: '"', amp: "&", "#39": "'" };
  return text.replace(/&(lt|gt|quot|amp|#39);/g, (_, name) => entities[name]!);
}

export function textOf(html: string): string {
  return unescapeHtml(html.replace(/<[^>]*>/g, ""));
}

/** Asserts a page of this server whose only form goes to the playground. */
export async function read(response: Response, status = 200): Promise<Page> {
  // A place where a line may break is no text.
  const html = (await response.text()).replaceAll("<wbr/>", "");
  const bare = html.replace(/<(?:form|input|textarea)\b(?:"[^"]*"|[^>"])*>/g, "");
  await assertPage(new Response(bare, response), status);
  const form = /<form\b[^>]*>([^]*?)<\/form>/.exec(html);
  let fields: Record<string, string | string[]> | undefined;
  if (form !== null) {
    const { pathname } = new URL(callback);
    assertEquals(parseAttributes(form[0]).get("action"), `${pathname}/try`);
    assertMatch(form[0], /^<form id="playground"/);
    fields = {};
    // History stands outside of the form, and belongs to it all the same.
    const controls = /<(input|textarea)\b(?:"[^"]*"|[^>"])*>(?:([^<]*)<\/textarea>)?/g;
    for (const [control, tag, text] of html.matchAll(controls)) {
      const attributes = parseAttributes(control);
      if (tag === "input" && attributes.get("type") !== "hidden") continue;
      if (!form[1]!.includes(control)) assertEquals(attributes.get("form"), "playground");
      const name = attributes.get("name")!;
      const value = tag === "input" ? attributes.get("value")! : unescapeHtml(text!);
      fields[name] = name in fields ? [fields[name]!, value].flat() : value;
    }
  }
  const whole = html.replace(/^[^]*<main/, "<main");
  return {
    html,
    heading: textOf(/<h1>([^]*?)<\/h1>/.exec(html)![1]!),
    text: textOf(whole.replace(/<[^>]*>/g, " ")).replace(/\s+/g, " "),
    fields,
    steps: [...html.matchAll(/<button [^>]*name="step" value="(\w+)"/g)].map(([, step]) => step!),
    messages: [...html.matchAll(/<div class="wire lines">([^]*?)<\/div>/g)].map(([, text]) => textOf(text!)),
    verdicts: [...html.matchAll(/class="mark"[^>]*>(.)<\/span><div><p>([^]*?)<\/p>/g)]
      .map(([, mark, text]) => `${mark} ${textOf(text!)}`),
  };
}

/** Opens the callback page at the end of a flow that a start link began. */
export async function arrive(
  browser: Browser,
  client = "demo-public",
  fields: Fields = {},
): Promise<Page & { readonly path: string; readonly link: URL }> {
  const start = (await browser.get(`/start?${encode({ client_id: client, ...fields })}`)).headers.get("location")!;
  const back = (await browser.get(start)).headers.get("location")!;
  const path = back.slice("https://as.test".length);
  return { path, link: new URL(start, "https://as.test"), ...await read(await browser.get(path)) };
}

/** Presses a button of a page. */
export async function press(browser: Browser, page: Page, step: string, change: Fields = {}): Promise<Page> {
  return await read(await browser.post("/authorized/try", { ...page.fields, step, ...change }));
}
