/** @jsxImportSource preact */
/** The page of an error that is not sent to a client. */

import type { VNode } from "preact";
import { Facts, PlainLayout, type PlainProps } from "./plain_layout.tsx";

/** The props of the page. */
export interface PlainErrorProps extends PlainProps {
  /** The error code. */
  readonly error: string;
  /** The message, without a full stop. */
  readonly message: string;
  /** The ID of the violated rule. Absent without one. */
  readonly rule?: string;
  /** The client that the user may send the error to. Absent if there is none. */
  readonly client?: { readonly host: string; readonly href?: string };
}

/** Code, message and rule, and a link to the client. */
export function PlainErrorPage({ error, message, rule, client, ...props }: PlainErrorProps): VNode {
  return (
    <PlainLayout {...props} heading="Request rejected">
      <p role="alert">
        <bdi>{message}</bdi>.
      </p>
      <Facts facts={[["Error", error], ["Rule", rule]]} />
      {client?.href !== undefined && (
        <p>
          <a href={client.href} rel="noreferrer">Continue to {client.host}</a>
        </p>
      )}
    </PlainLayout>
  );
}
