/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** A removal, in two steps and without script: one press says what it means and of whom, a second one does it. */

import type { ComponentChildren, VNode } from "preact";
import { Wire } from "./value.tsx";

/** What is done only when it was asked for twice. */
export interface TwoStepsProps {
  /** What the first press says. */
  readonly first: string;
  /** What the second one says. */
  readonly second: string;
  /** Where the form goes. */
  readonly action: string;
  /** What the form says there, as name and value. */
  readonly says: readonly [name: string, value: string];
  /** Proves that the form came from this page. */
  readonly token: string;
  /** What will be different then: whole sentences, the first of them a question. */
  readonly children: ComponentChildren;
}

/** Folded until somebody asks for it. */
export function TwoSteps({ first, second, action, says: [name, value], token, children }: TwoStepsProps): VNode {
  return (
    <details class="quiet">
      <summary>{first}</summary>
      <p>{children}</p>
      <form class="ways" method="post" action={action}>
        <input type="hidden" name="form_token" value={token} />
        <button type="submit" class="button plain" name={name} value={value}>{second}</button>
      </form>
    </details>
  );
}

/** What is removed. */
export interface RemovalProps extends Pick<TwoStepsProps, "action" | "token" | "children"> {
  /** One word: `client`. */
  readonly what: string;
  readonly id: string;
}

/** Takes one of a list away; the form says `action=remove`. */
export function Removal({ what, id, children, ...form }: RemovalProps): VNode {
  return (
    <TwoSteps {...form} first={`Remove this ${what}`} second="Yes, remove it" says={["action", "remove"]}>
      Remove <Wire text={id} />? {children}
    </TwoSteps>
  );
}
