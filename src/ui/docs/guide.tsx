/** @jsxImportSource preact */
/** A page of a guide: its text, and beside it the sections of the guide. */

import type { VNode } from "preact";
import { Panes } from "../layout.tsx";
import { Frame } from "./frame.tsx";
import { Blocks } from "./markdown.tsx";
import type { GuideProps } from "./props.ts";

/** The page. */
export function Guide({ page, ...site }: GuideProps): VNode {
  const { title, guide, blocks, sections, path, previous, next } = page;
  const href = (path: string) => `${site.base}/docs${path}`;
  return (
    <Frame
      site={site}
      above={guide === undefined ? [] : [{ label: guide.title, path: guide.path }]}
      heading={title}
      title={guide && `${title}: ${guide.title}`}
      opening={
        <Panes wide>
          <div>
            <Blocks blocks={blocks} />
            <nav class="ways" aria-label="Pages of this guide">
              {previous && <a href={href(previous.path)} rel="prev">Previous: {previous.title}</a>}
              {next && <a href={href(next.path)} rel="next">Next: {next.title}</a>}
            </nav>
          </div>
          {sections.length > 0 && (
            <nav class="contents" aria-label="In this guide">
              <h2>In this guide</h2>
              <ul>
                {sections.map((section) => (
                  <li key={section.path}>
                    <a href={href(section.path)} aria-current={section.path === path ? "page" : undefined}>
                      {section.title}
                    </a>
                  </li>
                ))}
              </ul>
            </nav>
          )}
        </Panes>
      }
    />
  );
}
