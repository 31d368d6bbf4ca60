/** @jsxImportSource preact */
/** A user: name, subject and e-mail address. */

import type { VNode } from "preact";

/** @internal A user on the pages for users. */
export interface UserSummary {
  /** The subject. */
  readonly sub: string;
  /** The full name. */
  readonly name?: string;
  /** The e-mail address. */
  readonly email?: string;
}

/** Inline, also in a button or a link. */
export function UserName({ user: { sub, name, email } }: { readonly user: UserSummary }): VNode {
  return (
    <span class="named">
      {name !== undefined && <bdi>{name}</bdi>}
      {/* Not selectable, because it may be inside a button. */}
      <code>{sub}</code>
      {email !== undefined && email !== sub && <bdi class="email">{email}</bdi>}
    </span>
  );
}
