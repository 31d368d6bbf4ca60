/** Responses with the pages of the minimal server: no files, one style inside, allowed by its digest. */

import type { VNode } from "preact";
import { contentSecurityPolicy, html, type HttpResponse } from "../http/message.ts";
import { renderPage, styleDigest } from "./render_page.ts";

const style = "body{max-width:48rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif}" +
  "code,pre{white-space:pre-wrap;overflow-wrap:anywhere}dt{font-weight:600}dd{margin:0 0 .5rem}";

let policy: Promise<string> | undefined;

/** Renders a page, which receives the style. */
export async function plainPage<Props>(
  status: number,
  Page: (props: Props & { readonly style: string }) => VNode,
  props: Props,
  headers?: Readonly<Record<string, string>>,
): Promise<HttpResponse> {
  policy ??= styleDigest(style).then((digest) =>
    contentSecurityPolicy.replace("style-src 'self'", `style-src '${digest}'`)
  );
  const body = renderPage(Page, { ...props, style });
  return html(status, body, { "content-security-policy": await policy, ...headers });
}
