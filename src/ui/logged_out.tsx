/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** The end of a session, and what it did not end. */

import type { VNode } from "preact";
import type { LoggedOutProps } from "../app/pages.ts";
import { Layout } from "./layout.tsx";
import { PageActions } from "./page_actions.tsx";
import { Code } from "./value.tsx";

/** The page at the logout endpoint, after the answer. */
export function LoggedOut(props: LoggedOutProps): VNode {
  return (
    <Layout
      site={props}
      heading="You are logged out"
      opening={
        <>
          <p>
            This browser no longer has a session with this server, and refresh tokens of that session are no longer
            accepted, except those granted with <Code text="offline_access" />.
          </p>
          <p class="aside">
            An application keeps a session of its own, and an access token works until it expires. To be sure, log out
            of the applications too.
          </p>
          <PageActions site={props} />
        </>
      }
    />
  );
}
