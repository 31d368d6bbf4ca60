/** @jsxImportSource preact */
/** The page after a logout that logs clients out in frames (Front-Channel Logout §3). */

import type { VNode } from "preact";
import { Layout, type Site } from "../../pages/layout.tsx";
import { PageActions } from "../../pages/page_actions.tsx";

/** The page after a logout, with clients that log the user out in this browser. */
export interface LoggingOutProps extends Site {
  /** The clients, each with the URL that logs the user out there. */
  readonly frames: readonly { readonly client: string; readonly src: string }[];
  /** Where the browser continues: verified, registered for the client. Absent: the user stays on the page. */
  readonly continueHref?: string;
  /** Maximum time for which the page waits for the frames before it continues, in milliseconds. */
  readonly timeoutMs: number;
}

/** The page at the logout endpoint, while clients are logged out. The script continues when all frames have loaded. */
export function LoggingOut(props: LoggingOutProps): VNode {
  const { frames, continueHref, timeoutMs } = props;
  return (
    <Layout site={props} scripts={["continue"]} variant="card" heading="You are logged out">
      <p>This browser no longer has a session with this server. These clients end their sessions, too:</p>
      <ul>
        {frames.map(({ client, src }) => (
          <li key={src}>
            <bdi>{client}</bdi>
            {/* Scripts and storage of the client, but no navigation of this page. */}
            <iframe src={src} title={client} sandbox="allow-scripts allow-same-origin" hidden></iframe>
          </li>
        ))}
      </ul>
      {continueHref === undefined ? <PageActions site={props} /> : (
        <nav class="ways" aria-label="Where to go from here">
          <a class="button" href={continueHref} data-continue-after={timeoutMs}>Continue</a>
        </nav>
      )}
    </Layout>
  );
}
