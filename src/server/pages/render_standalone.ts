/** Renders documents that are complete without a server. */

import type { VNode } from "preact";
import { inlineDigest, renderPage } from "../../core/pages/render_page.ts";
import type { StandaloneStyle } from "./standalone.tsx";

/** Renders a document with its style inside. */
export async function renderStandalone<Props>(
  Page: (props: Props & StandaloneStyle) => VNode,
  props: Props,
  style: string,
): Promise<string> {
  return renderPage(Page, { ...props, style, styleDigest: await inlineDigest(style) });
}
