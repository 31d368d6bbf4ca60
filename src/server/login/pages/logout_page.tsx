/** @jsxImportSource preact */
/** The page that asks whether to log out, for requests that do not prove that the user wants it (CSRF). */

import type { VNode } from "preact";
import { Layout, type Site } from "../../pages/layout.tsx";
import { type HiddenFields, PostForm } from "../../pages/post_form.tsx";
import { Code, DefinitionItem } from "../../pages/value.tsx";

/** The logout page. */
export interface LogoutProps extends Site {
  /** The user who is logged in. */
  readonly user: { readonly sub: string; readonly name?: string };
  /** The name or ID of the client that requested it; absent if unknown. */
  readonly client?: string;
  /** The target of the form. */
  readonly action: string;
  /** Hidden fields of the form: the request and a CSRF token. */
  readonly fields: HiddenFields;
}

/** The page at the logout endpoint, before the logout. */
export function Logout(props: LogoutProps): VNode {
  const { base, user, client, action, fields } = props;
  return (
    <Layout site={props} variant="card" heading="Log out?">
      <p>
        Logging out ends the session of this browser with this server. The next authorization request from this browser
        requires a new login.
      </p>
      <dl class="facts">
        <DefinitionItem label="Logged in">
          {user.name !== undefined && (
            <>
              <bdi>{user.name}</bdi>,{" "}
            </>
          )}
          <Code text={user.sub} />
        </DefinitionItem>
        {client !== undefined && (
          <DefinitionItem label="Requested by">
            <bdi>{client}</bdi>
          </DefinitionItem>
        )}
      </dl>
      <PostForm action={action} fields={fields} button="Log out">
        <a href={`${base}/`}>Back to Home</a>
      </PostForm>
      <p class="aside">
        Any site can link to this page. The server logs you out without a question only if the request carries an ID
        token that was issued in this session.
      </p>
    </Layout>
  );
}
