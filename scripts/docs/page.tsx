/** @jsxImportSource preact */
/** The frame of a page of the site. */

import type { VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Section } from "./markdown.ts";

/** A link of the navigation; paths are from the root of the site, without an ending. */
export interface NavLink {
  readonly path: string;
  readonly label: string;
}

/** A page with its place. */
export interface PageProps {
  /** From the root of the site, without an ending. */
  readonly path: string;
  readonly title: string;
  readonly html: string;
  /** The headings of the page. */
  readonly headings: readonly Section[];
  /** The pages of the site, by kind. */
  readonly kinds: readonly { readonly title: string; readonly links: readonly NavLink[] }[];
  readonly next?: NavLink;
}

/** Nothing may come from another origin, and nothing runs that is not a file of the site. */
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'";

/** The page as an HTML document. All its URLs are relative, so that the site can be hosted below any path. */
export const renderSitePage = (props: PageProps): string => `<!doctype html>\n${renderToString(<Page {...props} />)}\n`;

/** How many headings an outline has at most, if it has those of level 3. */
const maxOutline = 60;

function Page({ path, title, html, headings, kinds, next }: PageProps): VNode {
  const root = "../".repeat(path.split("/").length - 1) || "./";
  const link = ({ path: target, label }: NavLink) => (
    <a href={`${root}${target}.html`} aria-current={target === path ? "page" : undefined}>
      {label}
    </a>
  );
  const contents = headings.filter(({ level }) => level === 2 || level === 3);
  // A long page, such as that of the rules, has only its parts in the outline.
  const outline = contents.length <= maxOutline ? contents : contents.filter(({ level }) => level === 2);
  return (
    <html lang="en" data-root={root}>
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={policy} />
        <meta name="viewport" content="width=device-width" />
        <meta name="referrer" content="no-referrer" />
        <title>{title === "Latchkey" ? title : `${title} · Latchkey`}</title>
        <link rel="icon" href={`${root}icon.svg`} />
        <link rel="stylesheet" href={`${root}site.css`} />
        <link rel="alternate" type="text/markdown" href={`${root}${path}.md`} />
        <script type="module" src={`${root}site.js`}></script>
      </head>
      <body>
        <a class="skip" href="#site-content">Skip to the content</a>
        <header class="top">
          <a class="name" href={`${root}index.html`}>
            <img src={`${root}icon.svg`} alt="" width="20" height="20" />Latchkey
          </a>
          <a class="to-pages" href="#site-pages">All pages</a>
          <form role="search" hidden>
            <label class="unseen" for="site-search">Search</label>
            <input
              id="site-search"
              type="search"
              placeholder="Search, or press /"
              autocomplete="off"
              spellcheck={false}
            />
            <p class="unseen" role="status"></p>
            <ol hidden></ol>
          </form>
        </header>
        <div class="site">
          <main id="site-content" tabindex={-1}>
            <article dangerouslySetInnerHTML={{ __html: html }} />
            <footer>
              {next !== undefined && <p>Next: {link(next)}</p>}
              <p>
                <a href={`${root}${path}.md`}>This page as Markdown</a>
              </p>
            </footer>
          </main>
          <nav id="site-pages" aria-label="Pages">
            {kinds.map(({ title: name, links }, i) => (
              <details
                key={name}
                open={i < kinds.length - 1 || links.some((one) => one.path === path)}
              >
                <summary>
                  <h2>{name}</h2>
                </summary>
                <ul>
                  {links.map((item) => <li key={item.path}>{link(item)}</li>)}
                </ul>
              </details>
            ))}
          </nav>
          {outline.length > 1 && (
            <nav class="outline" aria-label="On this page">
              <h2>On this page</h2>
              <ul>
                {outline.map(({ level, heading, id }) => (
                  <li key={id} class={`level-${level}`}>
                    <a href={`#${id}`}>{heading}</a>
                  </li>
                ))}
              </ul>
            </nav>
          )}
        </div>
      </body>
    </html>
  );
}
