/** @jsxImportSource preact */
/** The page `/authorized`: the authorization response, the checks of a client, and how to exchange the code. */

import type { ComponentChildren, VNode } from "preact";
import { Checks, type ResponseCheck } from "./checks.tsx";
import { formatDuration } from "./duration.ts";
import { Fix } from "./fix.tsx";
import { Layout, Panes, Section, type Site, Stylesheet } from "./layout.tsx";
import { Notice } from "./notice.tsx";
import { PageActions, type StartLink } from "./page_actions.tsx";
import { StepLine } from "./step_line.tsx";
import { Parameters } from "./parameters.tsx";
import type { HiddenFields } from "./post_form.tsx";
import { TextWithRule } from "./rule_link.tsx";
import { ShowAllSecrets } from "./secret_value.tsx";
import { StatusBadge } from "./status_badge.tsx";
import { errorLabels } from "./authorized_errors.tsx";
import { Example, type TokenRequestExample } from "./token_request_example.tsx";
import { Code, CodeItem, CodeList, CopyableValue, DefinitionItem } from "./value.tsx";

/** The page `/authorized`. */
export interface CallbackProps extends Site {
  /** Success or failure; `none` if the page was opened without a response; `id_token` if this is all that arrived. */
  readonly outcome:
    | { readonly kind: "none" }
    | { readonly kind: "id_token" }
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
  /** On failure: how to fix it, if the description names a rule of this server. */
  readonly fix?: string;
  /** On failure: the scope values of this server. */
  readonly scopes?: readonly string[];
  /** Sentences about cut, repeated or unreadable parameters. */
  readonly notes: readonly string[];
  /** The parameters of the authorization request, if this browser sent it from `/start`. */
  readonly request?: HiddenFields;
  /** The parameters of the response. */
  readonly response: HiddenFields;
  /** The names of unknown parameters. Default: none. */
  readonly ignoredParameters?: readonly string[];
  /** The first checks of a client. */
  readonly checks: readonly ResponseCheck[];
  /** On success: the example of a public client, then that of a confidential one. */
  readonly examples: readonly TokenRequestExample[];
  /** The URL of the token endpoint. */
  readonly tokenEndpoint: string;
  /** The URL of the userinfo endpoint. */
  readonly userinfoEndpoint: string;
  /** The lifetime of codes, in seconds. */
  readonly codeLifetimeSeconds: number;
  /** Links for "Start New Authorization"; empty if no client has this page as its redirect URI. */
  readonly startLinks: readonly StartLink[];
  /** The steps after this page. Absent: no plugin has any. */
  readonly next?: NextSteps;
}

/** What leads from the page `/authorized` to the next steps: nodes of Preact. */
export interface NextSteps {
  /** The steps of the login, above the heading. */
  readonly stepper: object;
  /** Below the heading: the one primary button, and others. Absent: "Start New Authorization" is the primary one. */
  readonly actions?: object;
  /** The token request of the primary button, at the step that describes it. */
  readonly request?: object;
  /** Whether secrets are shown until the reader chooses. Default: false. */
  readonly secretsShown?: boolean;
  /** The client, if it signs each request. Default: none. */
  readonly signedBy?: string;
}

/** The page at `/authorized`, for a success and for a failure. */
export function CallbackPage(props: CallbackProps): VNode {
  const { outcome } = props;
  if (outcome.kind === "none") return <NoResponse {...props} />;
  if (outcome.kind === "id_token") return <IdTokenAlone {...props} />;
  return outcome.kind === "success"
    ? <Success props={props} outcome={outcome} />
    : <Failure props={props} outcome={outcome} />;
}

type Outcome<K> = Extract<CallbackProps["outcome"], { readonly kind: K }>;

function Notes({ notes }: { readonly notes: readonly string[] }): VNode | null {
  if (notes.length === 0) return null;
  return <Notice kind="warn">{notes.map((note) => <p key={note}>{note}</p>)}</Notice>;
}

function Success({ props, outcome }: { readonly props: CallbackProps; readonly outcome: Outcome<"success"> }): VNode {
  const { next, examples } = props;
  return (
    <Layout
      site={props}
      head={<Stylesheet site={props} name="authorized" />}
      heading="Authorization Successful!"
      badges={outcome.isUsed && <StatusBadge tone="over" label="code used" />}
      stepper={<StepLine site={props} stepper={next?.stepper} startLinks={props.startLinks} />}
      opening={
        <>
          {next?.actions}
          {outcome.isUsed && <p>This code is used up: it has been exchanged, and works only once.</p>}
          <dl class="values">
            <CopyableValue label="Authorization code" text={outcome.code} />
            {outcome.state !== undefined && <CopyableValue label="State" text={outcome.state} />}
          </dl>
          <Section id="checks" heading="Checks of the client">
            <Checks checks={props.checks} />
          </Section>
          <Notes notes={props.notes} />
          {next?.actions === undefined && <PageActions site={props} startLinks={props.startLinks} />}
        </>
      }
    >
      <Panes>
        <div class="column">
          <Section id="next" heading="Next steps">
            {examples.some(({ secrets = [] }) => secrets.length > 0) && (
              <ShowAllSecrets shown={next?.secretsShown === true} />
            )}
            <ol class="steps">
              <Step title="Copy the authorization code">
                <p>It is above, in the address of this page, and already in the requests below.</p>
              </Step>
              <Step title="Use the PKCE code verifier">
                <p>
                  The client generates this secret before the authorization request, which carries only its hash, the
                  code challenge. A stolen code is useless without the verifier.
                </p>
              </Step>
              <Step title="Send a POST request to the token endpoint">
                <dl class="values">
                  <CopyableValue label="Token endpoint" text={props.tokenEndpoint} />
                </dl>
                {next?.request}
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
                <Code text="redirect_uri" /> must be the same as in the authorization request.
              </li>
              <li>
                <Code text="code_verifier" /> is mandatory for public clients.
              </li>
            </ul>
          </Section>
        </div>
        <Section id="examples" heading="Example token requests">
          {examples.map((example) => <Example key={example.kind} example={example} />)}
          <h3>With the access token of the response</h3>
          <dl class="values">
            <CopyableValue
              label="Userinfo request"
              text={`curl ${props.userinfoEndpoint} -H 'Authorization: Bearer ACCESS_TOKEN'`}
            />
          </dl>
        </Section>
      </Panes>
      <details class="quiet" id="round-trip">
        <summary>Authorization request and response</summary>
        <Panes>
          <div>
            <h3>The authorization request</h3>
            {props.request === undefined
              ? (
                <p>
                  This flow did not start on a page of this server in this browser, so this page does not know the
                  request. A client compares the response with the request that it sent.
                </p>
              )
              : (
                <>
                  <p>The client sent these parameters to the authorization endpoint. All of them are public.</p>
                  <Parameters fields={props.request} />
                </>
              )}
          </div>
          <AuthorizationResponse {...props} />
        </Panes>
      </details>
      {next?.actions !== undefined && <PageActions site={props} startLinks={props.startLinks} plain />}
    </Layout>
  );
}

/** The parameters of the response. */
function AuthorizationResponse({ response, ignoredParameters = [] }: CallbackProps): VNode {
  return (
    <div>
      <h3>The authorization response</h3>
      <p>The server redirected the browser to the redirect URI. A client must verify the response.</p>
      <Parameters fields={response} />
      {ignoredParameters.length > 0 && (
        <p>
          Ignored, because they are not parameters of an authorization response:{" "}
          <CodeList texts={ignoredParameters} between=", " />.
        </p>
      )}
    </div>
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

function NoResponse(props: CallbackProps): VNode {
  return (
    <Layout
      site={props}
      head={<Stylesheet site={props} name="authorized" />}
      heading="No authorization response"
      stepper={<StepLine site={props} stepper={props.next?.stepper} startLinks={props.startLinks} />}
      opening={
        <>
          <p>
            This address is the redirect URI of the demo client. The server sends the browser here with a code or an
            error at the end of a login. This request has neither: no authorization response has arrived.
          </p>
          <p>
            A response in the fragment, after the <Code text="#" />{" "}
            of the address, stays in the browser: only scripts of a page can read it. With{" "}
            <Code text="response_mode=form_post" /> it arrives here.
          </p>
          <PageActions site={props} startLinks={props.startLinks} />
        </>
      }
    />
  );
}

function IdTokenAlone(props: CallbackProps): VNode {
  return (
    <Layout
      site={props}
      head={<Stylesheet site={props} name="authorized" />}
      heading="ID token received"
      stepper={<StepLine site={props} stepper={props.next?.stepper} startLinks={props.startLinks} />}
      opening={
        <>
          <p>
            The response has an ID token and no code, so there is nothing to exchange. Before a client believes the
            token, it must verify signature, issuer, audience, expiry, and that <Code text="nonce" />{" "}
            equals the value that it sent.
          </p>
          <PageActions site={props} startLinks={props.startLinks} />
          <Notes notes={props.notes} />
        </>
      }
    >
      <Section id="checks" heading="Checks of the client">
        <Checks checks={props.checks} />
      </Section>
      <Section id="round-trip" heading="Authorization request and response">
        <AuthorizationResponse {...props} />
      </Section>
    </Layout>
  );
}

function Failure({ props, outcome }: { readonly props: CallbackProps; readonly outcome: Outcome<"failure"> }): VNode {
  const { error, description } = outcome;
  return (
    <Layout
      site={props}
      head={<Stylesheet site={props} name="authorized" />}
      heading="Authorization Failed"
      badges={<StatusBadge tone="bad" label="error" />}
      stepper={<StepLine site={props} stepper={props.next?.stepper} startLinks={props.startLinks} />}
      opening={
        <>
          {error === undefined
            ? (
              <p>
                The authorization response has no readable code and no error. A client treats such a response as a
                failure.
              </p>
            )
            : (
              <>
                <Notice kind="bad">
                  <dl class="facts">
                    <CodeItem label="Error" text={error} />
                    {description !== undefined && (
                      <DefinitionItem label="Description">
                        <bdi>
                          <TextWithRule text={description} />
                        </bdi>
                      </DefinitionItem>
                    )}
                  </dl>
                </Notice>
                <Fix fix={props.fix} />
                {error === "invalid_scope" && props.scopes !== undefined && (
                  <dl class="facts">
                    <DefinitionItem label="Allowed scope">
                      <Code text={props.scopes.join(" ")} />
                    </DefinitionItem>
                  </dl>
                )}
              </>
            )}
          <PageActions site={props} startLinks={props.startLinks} />
          <Notes notes={props.notes} />
        </>
      }
    >
      {error !== undefined && (
        <Panes>
          <Section id="checks" heading="Checks of the client">
            <Checks checks={props.checks} />
          </Section>
          <Section id="round-trip" heading="Authorization request and response">
            <p>
              {errorLabels.get(error) ??
                "OAuth 2.1 and OpenID Connect do not define this error code for an authorization response."}{" "}
              The response carries an error instead of a code. Without a code, the client cannot get tokens.
            </p>
            <AuthorizationResponse {...props} />
          </Section>
        </Panes>
      )}
    </Layout>
  );
}
