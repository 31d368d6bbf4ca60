/** The page `/authorized` and its steps, as a test reads them, and their buttons. */

import { assertEquals } from "@std/assert";
import { type Browser, parseAttributes } from "../../server/browser.ts";
import { assertPage, encode, type Fields } from "../../kit.ts";

export const callback = "https://as.test/authorized";

/** Contents of a page, as shown. */
export interface Page {
  readonly html: string;
  readonly heading: string;
  /** White space made even. */
  readonly text: string;
  /** What the forms send along with whichever button; absent where there is no form. */
  readonly fields?: Readonly<Record<string, string>>;
  /** The steps that can be sent, the main one first, without that of the form to edit. */
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

/** Asserts a page of this server whose forms send a step. */
export async function read(response: Response, status = 200): Promise<Page> {
  // A place where a line may break is no text.
  const html = (await response.text()).replaceAll("<wbr/>", "");
  const bare = html.replace(/<(?:form|input)\b(?:"[^"]*"|[^>"])*>/g, "");
  await assertPage(new Response(bare, response), status);
  const forms = [...html.matchAll(/<form\b[^>]*>([^]*?)<\/form>/g)];
  for (const [form] of forms) assertEquals(parseAttributes(form).get("action"), "/authorized/try");
  const controls = [...(forms[0]?.[1] ?? "").matchAll(/<input\b(?:"[^"]*"|[^>"])*>/g)].map(([tag]) =>
    parseAttributes(tag)
  )
    .filter((attributes) => attributes.get("type") === "hidden");
  const fields = Object.fromEntries(controls.map((attributes) => [attributes.get("name")!, attributes.get("value")!]));
  const whole = html.replace(/^[^]*<main/, "<main");
  return {
    html,
    heading: textOf(/<h1>([^]*?)<\/h1>/.exec(html)![1]!),
    text: textOf(whole.replace(/<[^>]*>/g, " ")).replace(/\s+/g, " "),
    fields: forms.length === 0 ? undefined : fields,
    steps: [...html.matchAll(/<button [^>]*name="step" value="(\w+)"/g)].map(([, step]) => step!)
      .filter((step) => step !== "edit"),
    messages: [...html.matchAll(/<div class="wire lines">([^]*?)<\/div>/g)].map(([, text]) => textOf(text!)),
    verdicts: [...html.matchAll(/class="mark"[^>]*>(.)<\/span><div><p>([^]*?)<\/p>/g)]
      .map(([, mark, text]) => `${mark} ${textOf(text!)}`),
  };
}

/** Opens the callback page at the end of a flow that `/start` began. */
export async function arrive(
  browser: Browser,
  client = "demo-public",
): Promise<Page & { readonly path: string; readonly link: URL }> {
  const start = (await browser.get(`/start?${encode({ client_id: client })}`)).headers.get("location")!;
  const back = (await browser.get(start)).headers.get("location")!;
  const path = back.slice("https://as.test".length);
  return { path, link: new URL(start, "https://as.test"), ...await read(await browser.get(path)) };
}

/** Presses a button of a page. */
export async function press(browser: Browser, page: Page, step: string, change: Fields = {}): Promise<Page> {
  return await read(await browser.post("/authorized/try", { ...page.fields, step, ...change }));
}
