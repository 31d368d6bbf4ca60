/** Renders pages on the server by Preact. */

import type { VNode } from "preact";
import { render } from "preact-render-to-string";

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

/** The digest of a style for the policy of its page: `sha256-…`. */
export async function styleDigest(style: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style));
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}
