/** @jsxImportSource preact */
/** The pages of the minimal server. They have no files: the style is inside. */

import type { ComponentChildren, VNode } from "preact";
import type { PageForm } from "../http/message.ts";

/** The props of every page of the minimal server. */
interface PlainProps {
  readonly issuer: string;
  readonly style: string;
}

/** A document without links to files. */
function PlainLayout({ issuer, style, heading, children }: PlainProps & {
  /** The only `h1`. */
  readonly heading: string;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{heading}</title>
        <style dangerouslySetInnerHTML={{ __html: style }} />
      </head>
      <body>
        <main>
          <h1>{heading}</h1>
          {children}
        </main>
        <p>
          Issuer: <code>{issuer}</code>
        </p>
      </body>
    </html>
  );
}

/** A list of names and values; values that are undefined are left out. */
function Facts({ facts }: {
  readonly facts: readonly (readonly [name: string, value: string | undefined])[];
}): VNode {
  return (
    <dl>
      {facts.flatMap(([name, value]) =>
        value === undefined ? [] : [
          <dt key={name}>{name}</dt>,
          <dd key={`${name}-value`}>
            <code>{value}</code>
          </dd>,
        ]
      )}
    </dl>
  );
}

export interface PlainHomeProps extends PlainProps {
  /** The URLs of the metadata and of the endpoints in it. */
  readonly endpoints: readonly (readonly [name: string, url: string])[];
}

export function PlainHomePage({ endpoints, ...props }: PlainHomeProps): VNode {
  return (
    <PlainLayout {...props} heading="Authorization server">
      <Facts facts={endpoints} />
    </PlainLayout>
  );
}

export interface PlainAuthorizedProps extends PlainProps {
  readonly hasResponse: boolean;
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Sentences about cut, repeated or unreadable parameters. */
  readonly notes: readonly string[];
  /** A token request to paste into a shell. Absent without a code. */
  readonly tokenRequest?: string;
}

/** The response, and how to exchange its code. */
export function PlainAuthorizedPage(
  { hasResponse, parameters, notes, tokenRequest, ...props }: PlainAuthorizedProps,
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
    </PlainLayout>
  );
}

/** Submits the form. Without scripts, the user presses the button. */
export const submitScript = "document.forms[0].submit()";

/** The response to an authorization request with `response_mode=form_post`. */
export function PlainFormPostPage({ action, fields, ...props }: PlainProps & PageForm): VNode {
  return (
    <PlainLayout {...props} heading="Returning to the client">
      <form method="post" action={action}>
        {fields.map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />)}
        <button type="submit">Continue</button>
      </form>
      <script dangerouslySetInnerHTML={{ __html: submitScript }} />
    </PlainLayout>
  );
}

export interface PlainErrorProps extends PlainProps {
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
