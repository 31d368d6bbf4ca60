/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** Style sheet and script of the inspector's pages. */

import type { VNode } from "preact";

/** The files that a page loads. */
interface HeadProps {
  readonly base: string;
  /** The name of its style sheet and script. */
  readonly page: "list" | "flow";
}

/** Belongs into the head of the document. */
export function Head({ base, page }: HeadProps): VNode {
  return (
    <>
      <link rel="stylesheet" href={`${base}/flows/${page}.css`} />
      <script type="module" src={`${base}/flows/${page}.js`}></script>
    </>
  );
}
