/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** The callback page of the demo clients: what came back from an authorization request, and what to do with it. */

import type { VNode } from "preact";
import type { CallbackProps, RoundTrip as RoundTripProps } from "../app/pages.ts";
import { formatDuration } from "./duration.ts";
import { errorLabel } from "./error_labels.ts";
import { Checks } from "./checks.tsx";
import { Example } from "./example.tsx";
import { HttpMessageView } from "./http_exchange.tsx";
import { Layout, Section } from "./layout.tsx";
import { Notice } from "./notice.tsx";
import { Parameters } from "./parameters.tsx";
import { Pkce } from "./pkce.tsx";
import { FlowLink, PageActions } from "./page_actions.tsx";
import { Step } from "./step.tsx";
import { PlaygroundFormView } from "./playground_form.tsx";
import { Code, CopyableValue, DefinitionItem } from "./value.tsx";

/** The page at `/authorized`, for a success and for a failure. */
export function CallbackPage(props: CallbackProps): VNode {
  return props.outcome.kind === "success"
    ? <Success props={props} outcome={props.outcome} />
    : <Failure props={props} outcome={props.outcome} />;
}

type Outcome<K> = Extract<CallbackProps["outcome"], { readonly kind: K }>;

function Notes({ notes }: { readonly notes: readonly string[] }): VNode | null {
  if (notes.length === 0) return null;
  return (
    <Notice kind="warn">
      {notes.map((note) => <p key={note}>{note}</p>)}
    </Notice>
  );
}

function Success(
  { props, outcome }: { readonly props: CallbackProps; readonly outcome: Outcome<"success"> },
): VNode {
  return (
    <Layout
      site={props}
      heading="Authorization Successful!"
      opening={
        <>
          <p>
            The browser has brought back an authorization code. It is not a token yet: it came by way of the browser,
            where others might see it, so it is short-lived and useless alone. Only the client that asked for it can
            exchange it, directly with the server, by showing its secret or its code verifier.
          </p>
          <Notes notes={props.notes} />
          <dl class="values">
            <CopyableValue label="Authorization code" text={outcome.code} />
            {outcome.state !== undefined && (
              <CopyableValue label="State" text={outcome.state}>
                Must be what the client sent with its request. If it is not, somebody else began this flow, and the
                client throws the code away.
              </CopyableValue>
            )}
          </dl>
          <FlowLink site={props} />
        </>
      }
    >
      <RoundTrip {...props.roundTrip} />
      <Section id="next" heading="Next steps">
        <ol class="steps">
          <Step title="Copy the authorization code">
            <p>It stands above, and is already filled into the requests below.</p>
          </Step>
          <Step title="Use the PKCE code verifier">
            <p>
              A client that uses PKCE makes this secret before it sends the browser here, and sends only its hash, the
              code challenge. Whoever steals the code still lacks the verifier.
            </p>
            {props.roundTrip.pkce && <Pkce {...props.roundTrip.pkce} />}
          </Step>
          <Step title="Send a POST request to the token endpoint">
            <dl class="values">
              <CopyableValue label="Token endpoint" text={props.tokenEndpoint} />
            </dl>
            {props.proposal === undefined
              ? (
                <p class="aside">
                  This page sends the request itself only for a code that a client of this page asked for in this
                  browser. For any other one, the requests below show the form.
                </p>
              )
              : (
                <>
                  <HttpMessageView
                    label="The request, as it will be sent"
                    message={props.proposal.request}
                    secrets={props.proposal.secrets}
                    copyLabel="the token request"
                  />
                  <PlaygroundFormView form={props.proposal.form} base={props.base} />
                </>
              )}
          </Step>
        </ol>
      </Section>
      {props.examples.length > 0 && (
        <Section id="examples" heading="Example token requests">
          {props.examples.map((example) => <Example key={example.kind} {...example} />)}
        </Section>
      )}
      <Section id="notes" heading="Notes">
        <ul>
          <li>The code can be used once. A second use is refused, and revokes what the first one bought.</li>
          <li>
            It expires, typically in 5–10 minutes; here, {formatDuration(props.codeLifetimeSeconds)}{" "}
            after it was issued.
          </li>
          <li>
            <Code text="redirect_uri" /> must be the same as in the authorization request.
          </li>
          <li>
            <Code text="code_verifier" /> is mandatory for public clients.
          </li>
        </ul>
        <PageActions site={props} startLinks={props.startLinks} plain={props.proposal !== undefined} />
      </Section>
    </Layout>
  );
}

/** The way that the browser went: with the request to the server, and back here with the answer. */
function RoundTrip({ request, redirect, ignoredParameters, checks }: RoundTripProps): VNode {
  return (
    <Section id="round-trip" heading="How it came here">
      <h3>The authorization request</h3>
      {request === undefined
        ? (
          <p>
            This browser did not begin the flow from a page of this server, so the request is not known here. A client
            remembers its own, and compares.
          </p>
        )
        : (
          <>
            <p>The client sent the browser to the authorization endpoint. Everything in it is public.</p>
            <Parameters fields={request} />
          </>
        )}
      <AuthorizationResponse redirect={redirect} ignoredParameters={ignoredParameters} checks={checks} />
    </Section>
  );
}

function AuthorizationResponse(
  { redirect, ignoredParameters = [], checks }: Pick<RoundTripProps, "redirect" | "ignoredParameters" | "checks">,
): VNode {
  return (
    <>
      <h3>The answer, by redirect</h3>
      <p>The server sent the browser back to the redirect URI. Before a client believes the answer, it checks it.</p>
      <Parameters fields={redirect} />
      {ignoredParameters.length > 0 && (
        <p>
          Also in it, and ignored, because they mean nothing in such an answer: {ignoredParameters.map((name, i) => (
            <>
              {i > 0 && ", "}
              <Code text={name} />
            </>
          ))}.
        </p>
      )}
      <Checks checks={checks} />
    </>
  );
}

function Failure(
  { props, outcome }: { readonly props: CallbackProps; readonly outcome: Outcome<"failure"> },
): VNode {
  const { error, description } = outcome;
  return (
    <Layout
      site={props}
      heading="Authorization Failed"
      opening={
        <>
          {error === undefined
            ? (
              <p>
                There is neither a code nor an error here that could be shown. This page is where the browser arrives at
                the end of an authorization request; opened by itself it has nothing to tell.
              </p>
            )
            : (
              <>
                <Notice kind="bad">
                  <dl class="facts">
                    <DefinitionItem label="Error">
                      <Code text={error} />
                    </DefinitionItem>
                    {description !== undefined && (
                      <DefinitionItem label="Description">
                        <bdi>{description}</bdi>
                      </DefinitionItem>
                    )}
                  </dl>
                </Notice>
                <p>
                  {errorLabel(error) ??
                    "This error code is none of those that OAuth 2.1 and OpenID Connect define for this answer."}
                </p>
                <p>
                  The browser has brought back an error where a code would have been. Without a code there is nothing to
                  exchange, so no token can come of this request.
                </p>
              </>
            )}
          <Notes notes={props.notes} />
          <PageActions site={props} startLinks={props.startLinks} />
        </>
      }
    >
      {error !== undefined && (
        <Section id="round-trip" heading="How it came here">
          <AuthorizationResponse {...props.roundTrip} />
        </Section>
      )}
    </Layout>
  );
}
