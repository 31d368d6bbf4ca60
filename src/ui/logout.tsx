/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** The question whether to log out, asked wherever the request alone does not prove that the person wants it. */

import type { VNode } from "preact";
import type { LogoutProps } from "../app/pages.ts";
import { Layout } from "./layout.tsx";
import { PostForm } from "./post_form.tsx";
import { Code, DefinitionItem } from "./value.tsx";

/** The page at the logout endpoint, before the answer. */
export function Logout(props: LogoutProps): VNode {
  const { base, user, client, fields } = props;
  return (
    <Layout
      site={props}
      heading="Log out?"
      opening={
        <>
          <p>
            Logging out ends the session between this browser and this server. The next authorization request that comes
            from this browser begins with a new login.
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
              <DefinitionItem label="Asked by">
                <bdi>{client}</bdi>
              </DefinitionItem>
            )}
          </dl>
          <PostForm action={`${base}/oauth2/logout`} fields={fields} button="Log out">
            <a href={`${base}/`}>Back to Home</a>
          </PostForm>
          <p class="aside">
            Any site can send a browser to this address, so a request is followed without a question only when it brings
            an ID token that was issued in this session.
          </p>
        </>
      }
    />
  );
}
