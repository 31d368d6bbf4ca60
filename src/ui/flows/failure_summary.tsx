/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** Why something was refused, in one line: the error on the wire, the rule, the reason. */

import type { VNode } from "preact";
import { Wire } from "../value.tsx";
import type { ShortRefusal } from "./props.ts";

/** Belongs into the line of what was refused. */
export function Refusal({ error, rule, reason }: ShortRefusal): VNode {
  return (
    <span class="why">
      {error !== undefined && (
        <>
          <Wire text={error} /> <span class="aside">·</span>
          {" "}
        </>
      )}
      {rule !== undefined && `${rule} `}
      <bdi>{reason}</bdi>
    </span>
  );
}
