/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** A person: the name as they write it, and the subject as the protocol does. */

import type { VNode } from "preact";
import type { UserSummary } from "../app/pages.ts";

/** Fits into a line, a button or a link. */
export function UserName({ user: { sub, name, email } }: { readonly user: UserSummary }): VNode {
  return (
    <span class="named">
      {name !== undefined && <bdi>{name}</bdi>}
      {/* No value to select: it may stand in a button. */}
      <code>{sub}</code>
      {email !== undefined && email !== sub && <bdi class="email">{email}</bdi>}
    </span>
  );
}
