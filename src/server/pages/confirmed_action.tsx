/** @jsxImportSource preact */
/** An action with confirmation, without script: the first button explains it, the second one performs it. */

import type { ComponentChildren, VNode } from "preact";
import type { EditForm } from "./field.tsx";
import { Section } from "./layout.tsx";
import { Code } from "./value.tsx";

interface ConfirmedActionProps {
  /** The text of the first button. */
  readonly label: string;
  /** The text of the second button. */
  readonly confirmLabel: string;
  /** The target of the form. */
  readonly action: string;
  /** The name and value of the second button. */
  readonly submits: readonly [name: string, value: string];
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
      <summary class="button plain">{label}</summary>
      <p>{children}</p>
      <form class="ways" method="post" action={action}>
        <input type="hidden" name="form_token" value={csrfToken} />
        <button type="submit" class="button plain" name={name} value={value}>{confirmLabel}</button>
      </form>
    </details>
  );
}

interface RemoveSectionProps {
  readonly kind: "client" | "user";
  readonly id: string;
  /** The path of its page, the target of the form. */
  readonly href: string;
  readonly form: EditForm;
  readonly listHref: string;
  readonly consequence: string;
}

/** The section that removes an entry: `action=remove`. */
export function RemoveSection({ kind, id, href, form, listHref, consequence }: RemoveSectionProps): VNode {
  return (
    <Section id="remove" heading="Remove">
      <ConfirmedAction
        label={`Remove this ${kind}`}
        confirmLabel={`Yes, remove this ${kind}`}
        action={href}
        submits={["action", "remove"]}
        csrfToken={form.csrfToken}
      >
        Remove <Code text={id} />? {consequence} {form.isPersistent
          ? "It is removed from the store, for every instance."
          : `A ${kind} in the configuration is back when the server restarts; one added here is not.`}
      </ConfirmedAction>
      <p class="ways">
        <a href={listHref}>Back to all {kind}s</a>
      </p>
    </Section>
  );
}
