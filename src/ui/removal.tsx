/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** A removal, in two steps and without script: one press says what it means and of whom, a second one does it. */

import type { ComponentChildren, VNode } from "preact";
import { Wire } from "./value.tsx";

/** What is removed. */
export interface RemovalProps {
  /** One word: `client`. */
  readonly what: string;
  readonly id: string;
  /** Where the form goes; it says `action=remove`. */
  readonly action: string;
  /** Proves that the form came from this page. */
  readonly token: string;
  /** What will be different then: whole sentences. */
  readonly children: ComponentChildren;
}

/** Folded until somebody asks for it. */
export function Removal({ what, id, action, token, children }: RemovalProps): VNode {
  return (
    <details class="quiet">
      <summary>Remove this {what}</summary>
      <p>
        Remove <Wire text={id} />? {children}
      </p>
      <form class="ways" method="post" action={action}>
        <input type="hidden" name="form_token" value={token} />
        <button type="submit" class="button plain" name="action" value="remove">Yes, remove it</button>
      </form>
    </details>
  );
}
