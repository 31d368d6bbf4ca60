/** @jsxImportSource preact */
/** A form of hidden inputs with one button. */

import type { ComponentChildren, VNode } from "preact";

/** @internal The hidden inputs of a form: names and values in order. */
export type HiddenFields = readonly (readonly [name: string, value: string])[];

interface PostFormProps {
  readonly action: string;
  readonly fields: HiddenFields;
  readonly button: string;
  /** Whether the script submits it automatically. Default: false. */
  readonly autoSubmit?: boolean;
  /** Whether the page has a more important button. Default: false. */
  readonly plain?: boolean;
  /** Follows the button. */
  readonly children?: ComponentChildren;
}

/** A `POST` form that sends only the fields; the button has no name. */
export function PostForm(
  { action, fields, button, autoSubmit = false, plain = false, children }: PostFormProps,
): VNode {
  return (
    <form class="ways" method="post" action={action} data-submit={autoSubmit ? "" : undefined}>
      <HiddenInputs fields={fields} />
      <button type="submit" class={plain ? "button plain" : "button"}>{button}</button>
      {children}
    </form>
  );
}

export function HiddenInputs({ fields }: { readonly fields: HiddenFields }): VNode {
  return <>{fields.map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />)}</>;
}
