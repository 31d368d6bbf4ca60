/** Responses with the pages of the minimal server, which have no files: style and script are inside. */

import type { VNode } from "preact";
import { html, type HttpResponse } from "../http/message.ts";
import { inlineDigest, renderPage } from "./render_page.ts";

const style = "body{max-width:48rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif}" +
  "code,pre{white-space:pre-wrap;overflow-wrap:anywhere}dt{font-weight:600}dd{margin:0 0 .5rem}";

/**
 * Renders a page, which receives the style.
 *
 * @param script The script inside of the page. Default: none.
 */
export async function plainPage<Props>(
  status: number,
  Page: (props: Props & { readonly style: string }) => VNode,
  props: Props,
  headers?: Readonly<Record<string, string>>,
  script?: string,
): Promise<HttpResponse> {
  const policy = [
    `default-src 'none'; style-src '${await inlineDigest(style)}'`,
    ...script === undefined ? [] : [`script-src '${await inlineDigest(script)}'`],
    "base-uri 'none'; frame-ancestors 'none'",
  ];
  const body = renderPage(Page, { ...props, style });
  return html(status, body, { "content-security-policy": policy.join("; "), ...headers });
}
