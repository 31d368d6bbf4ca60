/** @jsxImportSource preact */
/** The home page. */

import type { VNode } from "preact";
import type { StartLink } from "../demo_flow.ts";
import { Facts, PlainLayout, type PlainProps } from "./plain_layout.tsx";

/** The props of the page. */
export interface PlainHomeProps extends PlainProps {
  /** The URLs of the metadata and of the endpoints in it. */
  readonly endpoints: readonly (readonly [name: string, url: string])[];
  /** The demo logins; empty if no client has the page `/authorized` as its redirect URI. */
  readonly startLinks: readonly StartLink[];
}

/** The endpoints, and links that start a demo login. */
export function PlainHomePage({ endpoints, startLinks, ...props }: PlainHomeProps): VNode {
  return (
    <PlainLayout {...props} heading="Authorization server">
      {startLinks.map(({ clientId, href }) => (
        <p key={clientId}>
          <a href={href}>Start a login as {clientId}</a>
        </p>
      ))}
      <Facts facts={endpoints} />
    </PlainLayout>
  );
}
