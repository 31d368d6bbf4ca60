/** @jsxImportSource preact */
/** The frame of every page of the documentation. */

import type { ComponentChildren, VNode } from "preact";
import { Layout, type Site } from "../layout.tsx";
import { Breakable } from "../value.tsx";

/** A link to a page of the documentation. */
export interface DocsLink {
  readonly label: string;
  /** The path below `/docs`, empty or with a leading slash. */
  readonly path: string;
}

interface FrameProps {
  readonly site: Site;
  /** The pages above this one, without the start; absent on the start. */
  readonly above?: readonly DocsLink[];
  readonly heading: string;
  /** The first half of the document's title. Default: the heading. */
  readonly title?: string;
  readonly opening: ComponentChildren;
  /** Further elements of `<head>`. Default: none. */
  readonly head?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** A page of the documentation: the way to it above the heading. */
export function Frame({ site, above, heading, title, opening, head, children }: FrameProps): VNode {
  const { base } = site;
  return (
    <Layout
      site={site}
      path="/docs/*"
      head={
        <>
          <link rel="stylesheet" href={`${base}/docs/docs.css`} />
          {head}
        </>
      }
      heading={<Breakable text={heading} />}
      title={title ?? heading}
      stepper={above && (
        <nav class="trail" aria-label="Documentation">
          {[{ label: "Docs", path: "" }, ...above].map(({ label, path }) => (
            <a key={path} href={`${base}/docs${path}`}>{label}</a>
          ))}
        </nav>
      )}
      opening={opening}
    >
      {children}
    </Layout>
  );
}
