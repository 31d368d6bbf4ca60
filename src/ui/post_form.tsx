/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** A form without anything to fill in: hidden inputs, one button that sends them, and other ways on beside it. */

import type { ComponentChildren, VNode } from "preact";
import type { HiddenFields } from "../app/pages.ts";

/** Where a form goes, and with what. */
export interface PostFormProps {
  readonly action: string;
  readonly fields: HiddenFields;
  /** What the button says. */
  readonly button: string;
  /** Whether the script of the page sends it without being asked. Default: false. */
  readonly autoSubmit?: boolean;
  /** What stands beside the button. */
  readonly children?: ComponentChildren;
}

/** Sent by `POST`. The button has no name, so nothing is sent but the fields. */
export function PostForm({ action, fields, button, autoSubmit = false, children }: PostFormProps): VNode {
  return (
    <form class="ways" method="post" action={action} data-submit={autoSubmit ? "" : undefined}>
      <HiddenInputs fields={fields} />
      <button type="submit" class="button">{button}</button>
      {children}
    </form>
  );
}

/** What a form sends without being filled in. */
export function HiddenInputs({ fields }: { readonly fields: HiddenFields }): VNode {
  return <>{fields.map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />)}</>;
}
