/** @jsxImportSource preact */
/** The pages of the minimal server. They have no files: the style is inside. */

import type { ComponentChildren, VNode } from "preact";
import type { PageForm } from "../http/message.ts";
import { type AuthorizedElements, AuthorizedPage, type AuthorizedProps } from "./authorized_page.tsx";

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
  /** The prefix of all links to this server. */
  readonly base: string;
  /** The URLs of the metadata and of the endpoints in it. */
  readonly endpoints: readonly (readonly [name: string, url: string])[];
}

export function PlainHomePage({ endpoints, base, ...props }: PlainHomeProps): VNode {
  return (
    <PlainLayout {...props} heading="Authorization server">
      <p>
        <a href={`${base}/start`}>Start New Authorization</a>
      </p>
      <Facts facts={endpoints} />
    </PlainLayout>
  );
}

export interface PlainAuthorizedProps extends PlainProps, AuthorizedProps {
  /** The parameters of the response besides code and error, and the state of a success. */
  readonly others: readonly (readonly [name: string, value: string])[];
}

/** The response, and how to exchange its code. */
export function PlainAuthorizedPage({ others, ...props }: PlainAuthorizedProps): VNode {
  return (
    <AuthorizedPage
      {...props}
      elements={{
        ...plainElements,
        Frame: ({ heading, opening, children }) => (
          <PlainLayout {...props} heading={heading}>
            {opening}
            {children}
          </PlainLayout>
        ),
        ResponseError: ({ error, description }) => (
          <Facts facts={[["Error", error], ["Description", description], ...others]} />
        ),
      }}
      additions={{
        checks: (
          <>
            {others.length > 0 && <Facts facts={others} />}
            <p>
              The client must check that <code>state</code> equals the value that it sent, and <code>iss</code>{" "}
              the issuer below.
            </p>
          </>
        ),
      }}
    />
  );
}

/** The elements of the page `/authorized`, without a script. */
const plainElements: Omit<AuthorizedElements, "Frame" | "ResponseError"> = {
  Notes: ({ notes }) => <>{notes.map((note) => <p key={note}>{note}</p>)}</>,
  Value: ({ label, text }) => (
    <div>
      <dt>{label}</dt>
      <dd>
        <code>{text}</code>
      </dd>
    </div>
  ),
  Verdict: ({ children }) => <p>{children}</p>,
  Code: ({ text }) => <code>{text}</code>,
  SecretText: ({ text }) => <>{text}</>,
  Command: ({ text }) => <pre><code>{text}</code></pre>,
};

/**
 * Submits the form when the page has loaded (Form Post Response Mode, Appendix A). Without scripts, the user presses
 * the button.
 */
export const submitScript = 'addEventListener("load",()=>document.forms[0].submit())';

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
}

/** Code, message and rule. */
export function PlainErrorPage({ error, message, rule, ...props }: PlainErrorProps): VNode {
  return (
    <PlainLayout {...props} heading="Request rejected">
      <p role="alert">
        <bdi>{message}</bdi>.
      </p>
      <Facts facts={[["Error", error], ["Rule", rule]]} />
    </PlainLayout>
  );
}
