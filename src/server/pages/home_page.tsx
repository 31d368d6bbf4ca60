/** @jsxImportSource preact */
/** The home page of a server without pages for developers. */

import type { VNode } from "preact";
import { Layout, Section, type Site } from "./layout.tsx";
import { StartButtons, type StartLink } from "../../core/pages/ways.tsx";
import { Code } from "./value.tsx";

export interface HomePageProps extends Site {
  readonly metadata: readonly string[];
  /** The demo logins; empty if no client has the page `/authorized` as its redirect URI. */
  readonly startLinks: readonly StartLink[];
}

/** The issuer, its metadata, and a button that starts a demo login. */
export function HomePage({ metadata, startLinks, ...site }: HomePageProps): VNode {
  return (
    <Layout
      site={site}
      path="/"
      heading="Authorization server"
      opening={
        <>
          <p>
            The issuer of this server is <Code text={site.issuer} />
          </p>
          {startLinks.length > 0 && (
            <p class="ways">
              <StartButtons label="Start a login" links={startLinks} />
            </p>
          )}
        </>
      }
    >
      <Section id="metadata" heading="Metadata">
        {metadata.map((url) => (
          <p key={url} class="ways">
            <a href={new URL(url).pathname}>
              <Code text={url} />
            </a>
          </p>
        ))}
      </Section>
    </Layout>
  );
}
