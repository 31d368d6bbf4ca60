/** Renders pages on the server by Preact: any page, and the pages of the minimal server, with their style inside. */

import type { VNode } from "preact";
import { render } from "preact-render-to-string";
import { html, type HttpResponse } from "../http/message.ts";

/**
 * Renders a component as an HTML document. Request values are escaped and never become links; only the verified
 * redirect URI of a form post response becomes the target of a form.
 *
 * @param replacement The page of the embedding program that replaces the component (the option `pages`).
 */
export function renderPage<Props>(
  Page: (props: Props) => VNode,
  props: Props,
  replacement?: (props: Props) => string,
): string {
  return replacement?.(props) ?? `<!DOCTYPE html>\n${render(Page(props))}\n`;
}

/** The digest of a style or script for the policy of the page that contains it: `sha256-…`. */
export async function inlineDigest(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}

const style = "body{max-width:48rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif}" +
  "code,pre{white-space:pre-wrap;overflow-wrap:anywhere}dt{font-weight:600}dd{margin:0 0 .5rem}" +
  "pre{margin:.5rem 0;padding:.75rem;border:1px solid GrayText;border-radius:3px}figure{margin:0 0 2rem}" +
  "h3{margin:1rem 0 0;font-size:1rem}p{margin:.5rem 0}.ways{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;margin:1rem 0}";

/**
 * Responds with a page of the minimal server, which receives the style.
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
