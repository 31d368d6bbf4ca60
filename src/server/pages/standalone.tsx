/** @jsxImportSource preact */
/** The frame of a document that is complete without a server, such as a report. */

import type { ComponentChildren, VNode } from "preact";

/** The style of a standalone document, and its digest for the policy: `sha256-…`. */
export interface StandaloneStyle {
  readonly style: string;
  readonly styleDigest: string;
}

/** A document without links to other files; its policy allows its own style alone. */
export function Standalone({ title, style, styleDigest, children }: StandaloneStyle & {
  readonly title: string;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta httpEquiv="Content-Security-Policy" content={`default-src 'none'; style-src '${styleDigest}'`} />
        <title>{`${title} · Latchkey`}</title>
        <style dangerouslySetInnerHTML={{ __html: style }} />
      </head>
      <body>
        <header class="top">
          <p class="name">Latchkey</p>
        </header>
        <main id="main">{children}</main>
      </body>
    </html>
  );
}
