/** @jsxImportSource preact */
/** An authorization response in a form that submits itself (Form Post Response Mode §2). */

import type { VNode } from "preact";
import type { PageForm } from "../http/message.ts";
import { PlainLayout, type PlainProps } from "./plain_layout.tsx";

/** Submits the form. Without scripts, the user presses the button. */
export const submitScript = "document.forms[0].submit()";

/** The response to an authorization request with `response_mode=form_post`. */
export function PlainFormPostPage({ action, fields, ...props }: PlainProps & PageForm): VNode {
  return (
    <PlainLayout {...props} heading="Returning to the client">
      <form method="post" action={action}>
        {fields.map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />)}
        <button type="submit">Continue</button>
      </form>
      <script dangerouslySetInnerHTML={{ __html: submitScript }} />
    </PlainLayout>
  );
}
