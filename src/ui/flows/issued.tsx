/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** Issued codes and tokens as a tree, with their current status. */

import type { VNode } from "preact";
import type { Issued } from "./props.ts";
import { StatusBadge } from "./status_badge.tsx";

/** Issued codes and tokens, each below the one that it was issued for. */
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
