/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** An action with confirmation, without script: the first button explains it, the second one performs it. */

import type { ComponentChildren, VNode } from "preact";
import { Code } from "./value.tsx";

/** The props of a confirmed action. */
interface ConfirmedActionProps {
  /** The text of the first button. */
  readonly label: string;
  /** The text of the second button. */
  readonly confirmLabel: string;
  /** The target of the form. */
  readonly action: string;
  /** The name and value of the second button. */
  readonly submits: readonly [name: string, value: string];
  /** The CSRF token. */
  readonly csrfToken: string;
  /** The consequences: whole sentences, the first one a question. */
  readonly children: ComponentChildren;
}

/** Folded at first. */
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

/** The entry to remove. */
interface DeleteFormProps extends Pick<ConfirmedActionProps, "action" | "csrfToken" | "children"> {
  /** One word: `client`. */
  readonly kind: string;
  readonly id: string;
}

/** The form that removes an entry: `action=remove`. */
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
