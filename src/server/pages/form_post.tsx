/** @jsxImportSource preact */
/** An authorization response in a form that submits itself (Form Post Response Mode §2). */

import type { VNode } from "preact";
import { Layout, type Site } from "./layout.tsx";
import { type HiddenFields, PostForm } from "./post_form.tsx";
import { Code, CodeItem, DefinitionItem } from "./value.tsx";

/** An authorization response as a form (OAuth 2.0 Form Post Response Mode). */
export interface FormPostProps extends Site {
  /** The redirect URI: verified, never with a scheme that a browser would execute. */
  readonly action: string;
  /** The name or ID of the client. */
  readonly client: string;
  /** The response parameters. */
  readonly fields: HiddenFields;
}

/** The response to an authorization request with `response_mode=form_post`. */
export function FormPost(props: FormPostProps): VNode {
  const { action, client, fields } = props;
  return (
    <Layout site={props} scripts={["continue"]} heading="Returning to the client">
      <p>This page sends the response to the client automatically. If nothing happens, press Continue.</p>
      <dl class="facts">
        <DefinitionItem label="Client">
          <bdi>{client}</bdi>
        </DefinitionItem>
        <CodeItem label="Sent to" text={action} />
      </dl>
      <PostForm action={action} fields={fields} button="Continue" autoSubmit />
      <p class="aside">
        The client requested the response mode{" "}
        <Code text="form_post" />: the response is in a request body instead of a URL, so it stays out of the browser
        history and of logs.
      </p>
    </Layout>
  );
}
