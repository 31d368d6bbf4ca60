/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** The frame of every page: head, slim header, one `main` with one `h1`. */

import type { ComponentChildren, VNode } from "preact";
import type { Site } from "../endpoints/pages.ts";

/** What a page puts into the frame. */
export interface LayoutProps {
  readonly site: Site;
  /** The only `h1`, and the first half of the document's title. */
  readonly heading: string;
  /** What follows the heading directly, before the first section. */
  readonly opening: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** Draws a whole document, from `html` inwards. Nothing inline: the style sheet, the script and the icon are assets. */
export function Layout({ site, heading, opening, children }: LayoutProps): VNode {
  const { base, issuer } = site;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${heading} · Latchkey`}</title>
        <link rel="icon" type="image/svg+xml" href={`${base}/static/icon.svg`} />
        <link rel="stylesheet" href={`${base}/static/style.css`} />
        <script type="module" src={`${base}/static/script.js`}></script>
      </head>
      <body>
        <header class="top">
          <a class="name" href={`${base}/`}>
            <img src={`${base}/static/icon.svg`} alt="" width="20" height="20" />
            Latchkey
          </a>
          <p class="issuer">
            <span class="unseen">Issuer:</span>
            <code class="wire">{issuer}</code>
          </p>
        </header>
        <main>
          <div class="opening">
            <h1>{heading}</h1>
            {opening}
          </div>
          {children}
        </main>
        <p class="unseen" role="status"></p>
      </body>
    </html>
  );
}

/** What a section of a page is made of. */
export interface SectionProps {
  /** Becomes the `id` of the section, so that it can be linked to. */
  readonly id: string;
  readonly heading: string;
  readonly children: ComponentChildren;
}

/** A part of a page, with its heading in the margin where there is room for one. */
export function Section({ id, heading, children }: SectionProps): VNode {
  return (
    <section id={id} aria-labelledby={`${id}-heading`}>
      <h2 id={`${id}-heading`}>{heading}</h2>
      <div class="body">{children}</div>
    </section>
  );
}
