/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** An action in two steps, without script: the first press explains it, the second one does it. */

import type { ComponentChildren, VNode } from "preact";
import { Code } from "./value.tsx";

/** What is done only when it was asked for twice. */
export interface ConfirmedActionProps {
  /** What the first press says. */
  readonly label: string;
  /** What the second one says. */
  readonly confirmLabel: string;
  /** Where the form goes. */
  readonly action: string;
  /** What the form says there, as name and value. */
  readonly submits: readonly [name: string, value: string];
  /** Proves that the form came from this page. */
  readonly csrfToken: string;
  /** What will be different then: whole sentences, the first of them a question. */
  readonly children: ComponentChildren;
}

/** Folded until somebody asks for it. */
export function ConfirmedAction(
  { label, confirmLabel, action, submits: [name, value], csrfToken, children }: ConfirmedActionProps,
): VNode {
  return (
    <details class="quiet">
      <summary>{label}</summary>
      <p>{children}</p>
      <form class="ways" method="post" action={action}>
        <input type="hidden" name="form_token" value={csrfToken} />
        <button type="submit" class="button plain" name={name} value={value}>{confirmLabel}</button>
      </form>
    </details>
  );
}

/** What is removed. */
export interface DeleteFormProps extends Pick<ConfirmedActionProps, "action" | "csrfToken" | "children"> {
  /** One word: `client`. */
  readonly kind: string;
  readonly id: string;
}

/** Takes one of a list away; the form says `action=remove`. */
export function DeleteForm({ kind, id, children, ...form }: DeleteFormProps): VNode {
  return (
    <ConfirmedAction
      {...form}
      label={`Remove this ${kind}`}
      confirmLabel="Yes, remove it"
      submits={["action", "remove"]}
    >
      Remove <Code text={id} />? {children}
    </ConfirmedAction>
  );
}
