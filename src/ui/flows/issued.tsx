/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** What was issued, as a tree of what was issued for what, and what of it is still good. */

import type { VNode } from "preact";
import type { Issued } from "./props.ts";
import { StatusBadge } from "./status_badge.tsx";

/** A tree of what was issued. */
export function IssuedTree({ issued }: { readonly issued: readonly Issued[] }): VNode {
  return (
    <ul class="tree">
      {issued.map(({ name, step, status, children }, i) => (
        <li key={i}>
          <span class="issued">
            <a href={`#step-${step}`}>
              {name}
              <span class="unseen">{` of step ${step}`}</span>
            </a>
            <StatusBadge {...status} />
          </span>
          {children.length > 0 && <IssuedTree issued={children} />}
        </li>
      ))}
    </ul>
  );
}
