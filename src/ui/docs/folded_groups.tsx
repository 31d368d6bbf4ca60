/** @jsxImportSource preact */
/** Groups of definitions, in short. */

import type { VNode } from "preact";

/** A group of definitions. */
interface Group {
  readonly title: string;
  readonly entries: readonly {
    readonly id: string;
    /** What it is, a few words or a sentence. */
    readonly text: string;
    /** The address of all that it says. */
    readonly href: string;
  }[];
}

/** Groups that unfold into their definitions: the ID, which is a link, and what it is. */
export function FoldedGroups({ groups }: { readonly groups: readonly Group[] }): VNode {
  return (
    <div class="groups">
      {groups.map(({ title, entries }) => (
        <details key={title}>
          <summary>
            {title} <span class="aside">({entries.length})</span>
          </summary>
          <ul>
            {entries.map(({ id, text, href }) => (
              <li key={id}>
                <a href={href}>{id}</a> {text}
              </li>
            ))}
          </ul>
        </details>
      ))}
    </div>
  );
}
