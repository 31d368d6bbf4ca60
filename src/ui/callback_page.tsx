/** @jsxImportSource preact */
/** The callback page of the demo clients: the authorization response and the next steps. */

import type { ComponentChildren, VNode } from "preact";
import type { Secret } from "./secret_value.tsx";
import { formatDuration } from "./duration.ts";
import { type CheckResult, Checks } from "./checks.tsx";
import { Example, type TokenRequestExample } from "./example.tsx";
import { type HttpMessage, HttpMessageView } from "./http_exchange.tsx";
import { Layout, Section, type Site } from "./layout.tsx";
import { Notice } from "./notice.tsx";
import { Parameters } from "./parameters.tsx";
import { Pkce, type PkceProps } from "./pkce.tsx";
import { FlowLink, PageActions, type StartLink } from "./page_actions.tsx";
import { type PlaygroundForm, PlaygroundFormView } from "./playground_form.tsx";
import { Code, CodeItem, CodeList, CopyableValue, DefinitionItem } from "./value.tsx";

/** The authorization request and response that led to the callback page. */
export interface RoundTrip {
  /** The parameters of the authorization request, if this browser started the flow on a page of this server. */
  readonly request?: readonly (readonly [name: string, value: string])[];
  /** The parameters of the response. */
  readonly redirect: readonly (readonly [name: string, value: string])[];
  /** The names of unknown parameters. Default: none. */
  readonly ignoredParameters?: readonly string[];
  /** The first checks of a client. */
  readonly checks: readonly CheckResult[];
  /** Absent if only the client has the verifier. */
  readonly pkce?: PkceProps;
}

/** The callback page of the demo clients. */
export interface CallbackProps extends Site {
  /** Success or failure. */
  readonly outcome:
    | { readonly kind: "success"; readonly code: string; readonly state?: string }
    | {
      readonly kind: "failure";
      /** The error code; absent if the response has neither a code nor an error. */
      readonly error?: string;
      readonly description?: string;
    };
  /** Sentences about cut, repeated or unreadable parameters. */
  readonly notes: readonly string[];
  /** The request and the response. */
  readonly roundTrip: RoundTrip;
  /** The token request that the page can send; absent if the code does not belong to a demo flow of this browser. */
  readonly proposal?: {
    readonly request: HttpMessage;
    readonly secrets: readonly Secret[];
    readonly form: PlaygroundForm;
  };
  /** On success: the example of a public client, then that of a confidential one. */
  readonly examples: readonly TokenRequestExample[];
  /** The URL of the token endpoint. */
  readonly tokenEndpoint: string;
  /** The lifetime of codes, in seconds. */
  readonly codeLifetimeSeconds: number;
  /** Links for "Start New Authorization"; empty if no client has this page as its redirect URI. */
  readonly startLinks: readonly StartLink[];
}

/** The page at `/authorized`, for a success and for a failure. */
export function CallbackPage(props: CallbackProps): VNode {
  return props.outcome.kind === "success"
    ? <Success props={props} outcome={props.outcome} />
    : <Failure props={props} outcome={props.outcome} />;
}

type Outcome<K> = Extract<CallbackProps["outcome"], { readonly kind: K }>;

function Notes({ notes }: { readonly notes: readonly string[] }): VNode | null {
  if (notes.length === 0) return null;
  return <Notice kind="warn">{notes.map((note) => <p key={note}>{note}</p>)}</Notice>;
}

function Success({ props, outcome }: { readonly props: CallbackProps; readonly outcome: Outcome<"success"> }): VNode {
  return (
    <Layout
      site={props}
      heading="Authorization Successful!"
      opening={
        <>
          <p>
            The server sent an authorization code here through the browser. A code is not a token: it expires soon, and
            only the client that requested it can exchange it, in a direct request that carries its client secret or its
            code verifier.
          </p>
          <Notes notes={props.notes} />
          <dl class="values">
            <CopyableValue label="Authorization code" text={outcome.code} />
            {outcome.state !== undefined && (
              <CopyableValue label="State" text={outcome.state}>
                Must equal the state that the client sent. If it differs, another site may have started this flow
                (CSRF), and the client must discard the code.
              </CopyableValue>
            )}
          </dl>
          <FlowLink site={props} />
        </>
      }
    >
      <RoundTripSection {...props.roundTrip} />
      <Section id="next" heading="Next steps">
        <ol class="steps">
          <Step title="Copy the authorization code">
            <p>The requests below already contain it.</p>
          </Step>
          <Step title="Use the PKCE code verifier">
            <p>
              The client generates this secret before the authorization request, which carries only its hash, the code
              challenge. A stolen code is useless without the verifier.
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
                  This page can send the request only for a code that this browser requested for a client of this page.
                  For other codes, use the examples below.
                </p>
              )
              : (
                <>
                  <HttpMessageView
                    label="The token request"
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
          <li>The code can be used once. A second use is rejected and revokes the tokens of the first.</li>
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

/** Belongs inside `<ol class="steps">`. */
function Step({ title, children }: { readonly title: string; readonly children: ComponentChildren }): VNode {
  return (
    <li>
      <h3>{title}</h3>
      {children}
    </li>
  );
}

/** The authorization request, the response, and the first checks of a client. */
function RoundTripSection({ request, redirect, ignoredParameters, checks }: RoundTrip): VNode {
  return (
    <Section id="round-trip" heading="Authorization request and response">
      <h3>The authorization request</h3>
      {request === undefined
        ? (
          <p>
            This flow did not start on a page of this server in this browser, so the request is not known here. A client
            compares the response with the request that it sent.
          </p>
        )
        : (
          <>
            <p>
              The client sent the browser to the authorization endpoint with these parameters. All of them are public.
            </p>
            <Parameters fields={request} />
          </>
        )}
      <AuthorizationResponse redirect={redirect} ignoredParameters={ignoredParameters} checks={checks} />
    </Section>
  );
}

function AuthorizationResponse(
  { redirect, ignoredParameters = [], checks }: Pick<RoundTrip, "redirect" | "ignoredParameters" | "checks">,
): VNode {
  return (
    <>
      <h3>The authorization response</h3>
      <p>The server redirected the browser to the redirect URI. A client must verify the response.</p>
      <Parameters fields={redirect} />
      {ignoredParameters.length > 0 && (
        <p>
          Ignored, because they are not parameters of an authorization response:{" "}
          <CodeList texts={ignoredParameters} between=", " />.
        </p>
      )}
      <Checks checks={checks} />
    </>
  );
}

/** Error codes of an authorization response in words (OAuth 2.1 §4.1.2.1, OpenID Connect Core §3.1.2.6). */
const errorLabels: ReadonlyMap<string, string> = new Map([
  ["invalid_request", "A parameter is missing, repeated or malformed."],
  ["unauthorized_client", "The client is not allowed to request a code this way."],
  ["access_denied", "The user or the server denied the request."],
  ["unsupported_response_type", "The server does not support the requested response type."],
  ["invalid_scope", "The requested scope is unknown, malformed, or not allowed for this client."],
  ["invalid_target", "The server issues no tokens for the requested resource."],
  ["server_error", "The server failed while it processed the request. The request itself may be correct."],
  ["temporarily_unavailable", "The server cannot process the request now. The same request may succeed later."],
  ["login_required", "The client requested a response without a login page, and no user is logged in."],
  ["consent_required", "The client requested a response without a consent page, and the user has not consented."],
  ["interaction_required", "The client requested a response without any page, and a page is necessary."],
  [
    "account_selection_required",
    "The client requested a response without a page, and the user must select an account.",
  ],
  ["request_not_supported", "The server does not support request objects passed by value."],
  ["request_uri_not_supported", "The server does not support request objects passed by reference."],
  ["registration_not_supported", "The server does not support client metadata inside the request."],
]);

function Failure({ props, outcome }: { readonly props: CallbackProps; readonly outcome: Outcome<"failure"> }): VNode {
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
                The request to this page has no readable code and no error. The browser comes to this page at the end of
                an authorization request; opened directly, it has nothing to show.
              </p>
            )
            : (
              <>
                <Notice kind="bad">
                  <dl class="facts">
                    <CodeItem label="Error" text={error} />
                    {description !== undefined && (
                      <DefinitionItem label="Description">
                        <bdi>{description}</bdi>
                      </DefinitionItem>
                    )}
                  </dl>
                </Notice>
                <p>
                  {errorLabels.get(error) ??
                    "OAuth 2.1 and OpenID Connect do not define this error code for an authorization response."}
                </p>
                <p>The response carries an error instead of a code. Without a code, the client cannot get tokens.</p>
              </>
            )}
          <Notes notes={props.notes} />
          <PageActions site={props} startLinks={props.startLinks} />
        </>
      }
    >
      {error !== undefined && (
        <Section id="round-trip" heading="Authorization request and response">
          <AuthorizationResponse {...props.roundTrip} />
        </Section>
      )}
    </Layout>
  );
}
