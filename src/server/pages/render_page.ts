/** Renders pages on the server by Preact. */

import type { VNode } from "preact";
import { render } from "preact-render-to-string";

/**
 * Renders a component as an HTML document. Request values are escaped and never become links; only the verified
 * redirect URI of a form post response becomes the target of a form.
 *
 * @param replacement The page of the embedding program in place of the component (the option `pages`).
 */
export function renderPage<Props>(
  Page: (props: Props) => VNode,
  props: Props,
  replacement?: (props: Props) => string,
): string {
  return replacement?.(props) ?? `<!DOCTYPE html>\n${render(Page(props))}\n`;
}
