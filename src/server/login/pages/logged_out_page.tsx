/** @jsxImportSource preact */
/** The page after logout: the sessions that ended, and the tokens that still work. */

import type { VNode } from "preact";
import { Layout, type Site } from "../../pages/layout.tsx";
import { PageActions } from "../../pages/page_actions.tsx";
import { Code } from "../../pages/value.tsx";

/** The page after a logout without redirect. */
export interface LoggedOutProps extends Site {
  /** Where the client asked to continue, if the operator did not approve the client. */
  readonly continueHref?: string;
}

/** The page at the logout endpoint, after the logout. */
export function LoggedOut(props: LoggedOutProps): VNode {
  const { continueHref } = props;
  return (
    <Layout site={props} variant="card" heading="You are logged out">
      <p>
        This browser no longer has a session with this server, and refresh tokens of that session are no longer
        accepted, except those granted with <Code text="offline_access" />.
      </p>
      <p class="aside">
        Clients keep their own sessions, and access tokens work until they expire. To be sure, log out of the clients
        too.
      </p>
      {continueHref !== undefined && (
        <p>
          <a href={continueHref} rel="noreferrer">
            Continue to <bdi>{new URL(continueHref).host || continueHref}</bdi>
          </a>
        </p>
      )}
      <PageActions site={props} />
    </Layout>
  );
}
