/** Renders pages on the server by Preact. */

import type { VNode } from "preact";
import { render } from "preact-render-to-string";
import type { StandaloneStyle } from "./standalone.tsx";

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

/** Renders a document that is complete without a server, with its style inside. */
export async function renderStandalone<Props>(
  Page: (props: Props & StandaloneStyle) => VNode,
  props: Props,
  style: string,
): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style));
  const styleDigest = `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
  return renderPage(Page, { ...props, style, styleDigest });
}
