/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** The frame of every page: head, slim header with the ways to other pages, one `main` with one `h1`. */

import type { ComponentChildren, VNode } from "preact";
import type { Site } from "../app/pages.ts";

/** What a page puts into the frame. */
export interface LayoutProps {
  readonly site: Site;
  /** The page's own path below the base, so that the header can mark where one is. Default: on none of its pages. */
  readonly path?: string;
  /** What the head needs besides what every page has. Default: nothing. */
  readonly head?: ComponentChildren;
  /** The only `h1`, and the first half of the document's title. */
  readonly heading: string;
  /** What follows the heading directly, before the first section. */
  readonly opening: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** Draws a whole document, from `html` inwards. Nothing inline: the style sheet, the script and the icon are assets. */
export function Layout({ site, path, head, heading, opening, children }: LayoutProps): VNode {
  const { base, issuer, links = [] } = site;
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
        {head}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="top">
          <a class="name" href={`${base}/`}>
            <img src={`${base}/static/icon.svg`} alt="" width="20" height="20" />
            Latchkey
          </a>
          <p class="issuer">
            <span class="unseen">Issuer:</span>
            <code class="wire">{issuer}</code>
          </p>
          {links.length > 0 && (
            <nav class="pages" aria-label="Pages">
              {links.map((link) => (
                <a key={link.path} href={base + link.path} aria-current={ariaCurrent(link.path, path)}>{link.label}</a>
              ))}
            </nav>
          )}
        </header>
        <main id="main" tabIndex={-1}>
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

/** A style sheet that some pages need besides that of every page; belongs into the head. */
export function Stylesheet({ site, name }: { readonly site: Site; readonly name: string }): VNode {
  return <link rel="stylesheet" href={`${site.base}/static/${name}.css`} />;
}

/** A page below one of the header's is not that page, but within it. */
function ariaCurrent(link: string, path: string | undefined): "page" | "true" | undefined {
  if (link === path) return "page";
  return path?.startsWith(`${link}/`) ? "true" : undefined;
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
