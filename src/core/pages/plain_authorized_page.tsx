/** @jsxImportSource preact */
/** The page `/authorized`: the authorization response, and the token request. */

import type { VNode } from "preact";
import type { StartLink } from "../demo_flow.ts";
import { Facts, PlainLayout, type PlainProps } from "./plain_layout.tsx";

/** The props of the page. */
export interface PlainAuthorizedProps extends PlainProps {
  /** Whether the request has a response. */
  readonly hasResponse: boolean;
  /** The parameters of the response. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Sentences about cut, repeated or unreadable parameters. */
  readonly notes: readonly string[];
  /** A token request to paste into a shell. Absent without a code. */
  readonly tokenRequest?: string;
  /** The demo logins. */
  readonly startLinks: readonly StartLink[];
}

/** The response, how to exchange its code, and links that start another login. */
export function PlainAuthorizedPage(
  { hasResponse, parameters, notes, tokenRequest, startLinks, ...props }: PlainAuthorizedProps,
): VNode {
  const heading = tokenRequest !== undefined
    ? "Authorization Successful!"
    : hasResponse
    ? "Authorization Failed"
    : "No authorization response";
  return (
    <PlainLayout {...props} heading={heading}>
      {notes.map((note) => <p key={note}>{note}</p>)}
      <Facts facts={parameters} />
      {tokenRequest !== undefined && (
        <>
          <p>
            The client must check that <code>state</code>{" "}
            equals the value that it sent. Then it exchanges the code, once, for tokens:
          </p>
          <pre><code>{tokenRequest}</code></pre>
        </>
      )}
      {startLinks.map(({ clientId, href }) => (
        <p key={clientId}>
          <a href={href}>Start a login as {clientId}</a>
        </p>
      ))}
    </PlainLayout>
  );
}
