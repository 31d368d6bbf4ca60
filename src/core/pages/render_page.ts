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

/** The digest of a style or script for the policy of the page that contains it: `sha256-…`. */
export async function inlineDigest(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}
