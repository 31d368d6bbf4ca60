/** @jsxImportSource preact */
/** A rejection in one line: the error code, the rule, the reason. */

import type { VNode } from "preact";
import { Code } from "../value.tsx";
import type { RejectionSummary } from "./props.ts";

/** Belongs into the line of the rejected request. */
export function RejectionLine({ error, rule, reason }: RejectionSummary): VNode {
  return (
    <span class="why">
      {error !== undefined && (
        <>
          <Code text={error} /> <span class="aside">·</span>
          {" "}
        </>
      )}
      {rule !== undefined && `${rule} `}
      <bdi>{reason}</bdi>
    </span>
  );
}
