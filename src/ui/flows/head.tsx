/** @jsxImportSource preact */
/** Style sheet and script of the inspector's pages. */

import type { VNode } from "preact";

/** Belongs into the head of the document; `page` is the name of both files. */
export function Head({ base, page }: { readonly base: string; readonly page: "list" | "flow" }): VNode {
  return (
    <>
      <link rel="stylesheet" href={`${base}/flows/${page}.css`} />
      <script type="module" src={`${base}/flows/${page}.js`}></script>
    </>
  );
}
