/** @jsxImportSource preact */
/** The layout of every page: head, header with links, one `main` with one `h1`. */

import type { ComponentChildren, VNode } from "preact";
import type { CoreSite } from "../../core/http/context.ts";
import type { NavigationLink } from "../endpoint.ts";
import { RulesPath } from "./rule_link.tsx";

export { Panes, Section } from "../../core/pages/section.tsx";

/** The props of every page. */
export interface Site extends CoreSite {
  /** Links in the header. Default: none. */
  readonly links?: readonly NavigationLink[];
  /** The path of the pages of rules, below {@link CoreSite.base}. Absent if the server has none. */
  readonly rulesPath?: string;
  /** The recorded flow of this page: a path below {@link CoreSite.base}. Absent if it is not recorded. */
  readonly flowLink?: string;
}

interface LayoutProps {
  readonly site: Site;
  /** The page's path below the base, which the header marks as current. Default: none. */
  readonly path?: string;
  /** Further style sheets, such as `form`, or `devtools/flow` of a plugin. Default: none. */
  readonly styles?: readonly string[];
  /** All scripts, such as `continue`, which leaves the page. Default: only `script`, which copies values. */
  readonly scripts?: readonly string[];
  /** The only `h1`. */
  readonly heading: ComponentChildren;
  /** The first half of the document's title. Default: the heading, which must be a text then. */
  readonly title?: string;
  /** The document's title. Default: {@link title} and the name of this server. */
  readonly documentTitle?: string;
  /** The outcome, beside the heading. Default: none. */
  readonly badges?: ComponentChildren;
  /** `card`: one question in the middle of the window, without links to other pages. Default: the whole width. */
  readonly variant?: "card";
  /** The steps of the journey, above the heading. Default: none. */
  readonly stepper?: ComponentChildren;
  /** Follows the heading, before the first section. Default: the children of a page without sections. */
  readonly opening?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** A whole document. Nothing is inline (CSP): style sheet, script and icon are assets. */
export function Layout(props: LayoutProps): VNode {
  const { site, path, heading, title = String(heading), badges, variant, stepper, opening, children } = props;
  const { scripts = ["script"], styles = [], documentTitle = `${title} · Latchkey` } = props;
  const { base, issuer } = site;
  const links = variant === "card" ? [] : site.links ?? [];
  return (
    <RulesPath.Provider value={site.rulesPath && base + site.rulesPath}>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>{documentTitle}</title>
          <link rel="icon" href={`${base}/static/icon.svg`} />
          <link rel="stylesheet" href={`${base}/static/style.css`} />
          {scripts.map((name) => <script key={name} type="module" src={`${base}/static/${name}.js`}></script>)}
          {[...variant === "card" ? ["people"] : [], ...styles].map((name) => (
            <link key={name} rel="stylesheet" href={`${base}/static/${name}.css`} />
          ))}
        </head>
        <body class={variant}>
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
            {links.length > 0 && <Navigation base={base} links={links} path={path} />}
          </header>
          <main id="main" tabIndex={-1}>
            {stepper}
            <div class="opening">
              {badges === undefined ? <h1>{heading}</h1> : (
                <div class="heading">
                  <h1>{heading}</h1>
                  {badges}
                </div>
              )}
              {opening ?? children}
            </div>
            {opening !== undefined && children}
          </main>
          <p class="unseen" role="status"></p>
        </body>
      </html>
    </RulesPath.Provider>
  );
}

/** The places, and the other pages behind "More". */
function Navigation({ base, links, path }: {
  readonly base: string;
  readonly links: readonly NavigationLink[];
  readonly path?: string;
}): VNode {
  // A page below another one, such as /flows/check, may have a link of its own. That of a client belongs to Connect.
  const place = links.find((link) => path?.startsWith(`${link.path}/`));
  const current = links.find((link) => link.path === path) ??
    (place?.isMain ? place : place && links.find((link) => link.path === "/"));
  const anchors = (shown: readonly NavigationLink[]) =>
    shown.map((link) => (
      <a
        key={link.path}
        href={base + link.path}
        aria-current={link === current ? (link.path === path ? "page" : "true") : undefined}
      >
        {link.label}
      </a>
    ));
  const others = links.filter(({ isMain }) => !isMain);
  return (
    <nav class="pages" aria-label="Pages">
      {anchors(links.filter(({ isMain }) => isMain))}
      {others.length > 0 && (
        <details>
          <summary>More</summary>
          <div>{anchors(others)}</div>
        </details>
      )}
    </nav>
  );
}
