/** @jsxImportSource preact */
/** The end of a page of a long list: how many entries there are, and a link to the next page. */

import type { VNode } from "preact";

export interface ListPosition {
  /** The number of entries on all pages. */
  readonly total: number;
  readonly isFirst: boolean;
  /** The path of the next page; absent on the last one. */
  readonly nextHref?: string;
}

/** The number of entries and the link to the next page; nothing if all entries are on this page. */
export function NextPage(
  { position: { total, isFirst, nextHref }, firstHref, entries }: {
    readonly position: ListPosition;
    readonly firstHref: string;
    /** What is listed: `clients`. */
    readonly entries: string;
  },
): VNode | null {
  if (isFirst && nextHref === undefined) return null;
  return (
    <p>
      {`${total} ${entries} in all. `}
      {!isFirst && <a href={firstHref}>First page</a>}{" "}
      {nextHref !== undefined && <a href={nextHref} rel="next">{`Next ${entries}`}</a>}
    </p>
  );
}
