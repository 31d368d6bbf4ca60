/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** What the pages of the inspector need besides what every page does. */

import type { VNode } from "preact";

/** What a page loads. */
export interface HeadProps {
  readonly base: string;
  /** The name of its style sheet and of its script. */
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
