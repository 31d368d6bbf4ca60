/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** An authorization response that travels in the body of a POST: a form that sends itself (Form Post Response Mode §2). */

import type { VNode } from "preact";
import type { FormPostProps } from "../app/pages.ts";
import { Layout } from "./layout.tsx";
import { PostForm } from "./post_form.tsx";
import { Code, DefinitionItem } from "./value.tsx";

/** The page that answers an authorization request with `response_mode=form_post`. */
export function FormPost(props: FormPostProps): VNode {
  const { action, client, fields } = props;
  return (
    <Layout
      site={props}
      heading="Going back to the application"
      opening={
        <>
          <p>The answer to the application goes on by itself. If it does not, press Continue.</p>
          <dl class="facts">
            <DefinitionItem label="Application">
              <bdi>{client}</bdi>
            </DefinitionItem>
            <DefinitionItem label="Goes to">
              <Code text={action} />
            </DefinitionItem>
          </dl>
          <PostForm action={action} fields={fields} button="Continue" autoSubmit />
          <p class="aside">
            The application asked for the response mode{" "}
            <Code text="form_post" />: its answer travels in the body of a request, not in an address, so it stays out
            of the browser's history and of logs.
          </p>
        </>
      }
    />
  );
}
