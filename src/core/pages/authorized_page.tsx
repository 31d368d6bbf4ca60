/** @jsxImportSource preact */
/**
 * The page `/authorized`: the authorization response, the next steps and an example token request for each kind of
 * client. The minimal server shows it with plain elements; the whole server passes its own elements, and adds parts.
 */

import type { ComponentChildren, VNode } from "preact";
import { formatDuration } from "./duration.ts";
import { Panes, Section } from "./section.tsx";
import { Example, type ExampleElements, type TokenRequestExample } from "./token_request_example.tsx";
import { type StartLink, Ways } from "./ways.tsx";

/** Success or failure; `none` if the page was opened without a response. */
export type AuthorizedOutcome =
  | { readonly kind: "none" }
  | {
    readonly kind: "success";
    readonly code: string;
    readonly state?: string;
    /** Whether the code is already exchanged. Default: false. */
    readonly isUsed?: boolean;
  }
  | {
    readonly kind: "failure";
    /** The error code; absent if the response has neither a code nor an error. */
    readonly error?: string;
    readonly description?: string;
  };

/** What the page shows. */
export interface AuthorizedProps {
  /** The prefix of all links to this server. */
  readonly base: string;
  readonly outcome: AuthorizedOutcome;
  /** Sentences about cut, repeated or unreadable parameters. */
  readonly notes: readonly string[];
  /** On success: the example of a public client, then that of a confidential one. */
  readonly examples: readonly TokenRequestExample[];
  readonly tokenEndpoint: string;
  /** The lifetime of codes, in seconds. */
  readonly codeLifetimeSeconds: number;
  /** Links for "Start New Authorization"; empty if no client has this page as its redirect URI. */
  readonly startLinks: readonly StartLink[];
}

/** The elements that the page consists of. */
export interface AuthorizedElements extends ExampleElements {
  /** The document: heading, what follows it, and the sections. */
  Frame(props: {
    readonly heading: string;
    readonly opening: ComponentChildren;
    readonly children?: ComponentChildren;
  }): VNode;
  /** Remarks about parameters: nothing without any. */
  Notes(props: { readonly notes: readonly string[] }): VNode | null;
  /** A value to copy, inside `<dl class="values">`. */
  Value(props: { readonly label: string; readonly text: string }): VNode;
  ResponseError(props: { readonly error: string; readonly description?: string }): VNode;
}

/** What a server adds to the page. Default: nothing. */
export interface AuthorizedAdditions {
  /** On success, below the heading: more important buttons than "Start New Authorization". */
  readonly actions?: ComponentChildren;
  /** On success, below the code. */
  readonly checks?: ComponentChildren;
  /** On success, before the numbered steps. */
  readonly beforeSteps?: ComponentChildren;
  /** On success, in the last step. */
  readonly inLastStep?: ComponentChildren;
  /** On success, after the example requests. */
  readonly afterExamples?: ComponentChildren;
  /** Further links, before "Back to Home". */
  readonly links?: ComponentChildren;
  /** The last part of the page. */
  readonly details?: ComponentChildren;
}

interface PageProps extends AuthorizedProps {
  readonly elements: AuthorizedElements;
  readonly additions?: AuthorizedAdditions;
}

/** The page, for a success, for a failure, and without a response. */
export function AuthorizedPage(props: PageProps): VNode {
  const { outcome } = props;
  switch (outcome.kind) {
    case "success":
      return <Success {...props} outcome={outcome} />;
    case "failure":
      return <Failure {...props} outcome={outcome} />;
    case "none":
      return <NoResponse {...props} />;
  }
}

type Of<K extends AuthorizedOutcome["kind"]> = PageProps & {
  readonly outcome: Extract<AuthorizedOutcome, { kind: K }>;
};

function Links({ base, startLinks, additions, plain }: PageProps & { readonly plain?: boolean }): VNode {
  return <Ways base={base} startLinks={startLinks} plain={plain}>{additions?.links}</Ways>;
}

function Success(props: Of<"success">): VNode {
  const { outcome, examples, elements, additions = {} } = props;
  const { Frame, Notes, Value } = elements;
  const { actions, checks, beforeSteps, inLastStep, afterExamples, details } = additions;
  return (
    <Frame
      heading="Authorization Successful!"
      opening={
        <>
          {actions}
          {outcome.isUsed && <p>This code is used up: it has been exchanged, and works only once.</p>}
          <dl class="values">
            <Value label="Authorization code" text={outcome.code} />
            {outcome.state !== undefined && <Value label="State" text={outcome.state} />}
          </dl>
          {checks}
          <Notes notes={props.notes} />
          {actions === undefined && <Links {...props} />}
        </>
      }
    >
      <Panes>
        <div class="column">
          <Section id="next" heading="Next steps">
            {beforeSteps}
            <ol class="steps">
              <Step title="Copy the authorization code">
                <p>It is above, in the address of this page, and already in the requests below.</p>
              </Step>
              <Step title="Use the PKCE code verifier">
                <p>
                  The client generates this secret before the authorization request, which carries only its hash, the
                  code challenge. A stolen code is useless without the verifier. {placeOfVerifier(examples)}
                </p>
              </Step>
              <Step title="Send a POST request to the token endpoint">
                <dl class="values">
                  <Value label="Token endpoint" text={props.tokenEndpoint} />
                </dl>
                {inLastStep}
              </Step>
            </ol>
          </Section>
          <Section id="notes" heading="Notes">
            <ul>
              <li>The code can be used once. A second use is rejected and revokes the tokens of the first.</li>
              <li>
                The code expires, typically in 5–10 minutes; here, {formatDuration(props.codeLifetimeSeconds)}{" "}
                after it was issued.
              </li>
              <li>
                <code class="wire">redirect_uri</code> must be the same as in the authorization request.
              </li>
              <li>
                <code class="wire">code_verifier</code> is mandatory for public clients.
              </li>
            </ul>
          </Section>
        </div>
        <Section id="examples" heading="Example token requests">
          {examples.map((example) => <Example key={example.kind} example={example} elements={elements} />)}
          {afterExamples}
        </Section>
      </Panes>
      {details}
      {actions !== undefined && <Links {...props} plain />}
    </Frame>
  );
}

/** Where the reader finds the verifier, in a sentence. */
function placeOfVerifier([example]: readonly TokenRequestExample[]): string {
  if (example === undefined || !example.usesPkce) return "";
  return example.missing.includes("code verifier")
    ? "This page knows the verifier only of a login that it has started: insert that of your client below."
    : "It is already in the requests below.";
}

/** Belongs inside `<ol class="steps">`. */
function Step({ title, children }: { readonly title: string; readonly children: ComponentChildren }): VNode {
  return (
    <li>
      <h3>{title}</h3>
      {children}
    </li>
  );
}

function Failure(props: Of<"failure">): VNode {
  const { outcome: { error, description }, elements: { Frame, Notes, ResponseError }, additions } = props;
  return (
    <Frame
      heading="Authorization Failed"
      opening={
        <>
          {error === undefined
            ? (
              <p>
                The authorization response has no readable code and no error. A client treats such a response as a
                failure.
              </p>
            )
            : <ResponseError error={error} description={description} />}
          <Links {...props} />
          <Notes notes={props.notes} />
        </>
      }
    >
      {additions?.details}
    </Frame>
  );
}

function NoResponse({ elements: { Frame }, ...props }: PageProps): VNode {
  return (
    <Frame
      heading="No authorization response"
      opening={
        <>
          <p>
            This address is the redirect URI of the demo client. The server sends the browser here with a code or an
            error at the end of a login. This request has neither: no authorization response has arrived.
          </p>
          <p>
            A response in the fragment, after the <code class="wire">#</code>{" "}
            of the address, stays in the browser: only scripts of a page can read it. With{" "}
            <code class="wire">response_mode=form_post</code> it arrives here.
          </p>
          <Ways base={props.base} startLinks={props.startLinks}>{props.additions?.links}</Ways>
        </>
      }
    />
  );
}
