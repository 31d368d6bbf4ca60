/** @jsxImportSource preact */
/** The page `/authorized`: the authorization response, the checks of a client, and how to exchange the code. */

import type { ComponentChildren, VNode } from "preact";
import {
  type AuthorizedAdditions,
  type AuthorizedElements,
  type AuthorizedOutcome,
  AuthorizedPage,
  type AuthorizedProps,
} from "../../core/pages/authorized_page.tsx";
import { CheckItem } from "./check_item.tsx";
import { type ResponseCheck, ResponseChecks } from "./checks.tsx";
import { upperFirst } from "./first_letter.ts";
import { Fix } from "./fix.tsx";
import { Layout, Panes, Section, type Site } from "./layout.tsx";
import { Notice } from "./notice.tsx";
import { FlowLink, PageActions } from "./page_actions.tsx";
import { Parameters } from "./parameters.tsx";
import type { HiddenFields } from "./post_form.tsx";
import { TextWithRule } from "./rule_link.tsx";
import { ShowAllSecrets, TextWithSecrets } from "./secret_value.tsx";
import { StatusBadge } from "./status_badge.tsx";
import { StepLine } from "./step_line.tsx";
import { Code, CodeItem, CodeList, CopyableValue, CopyButton, DefinitionItem } from "./value.tsx";

/** The page `/authorized`. */
export interface CallbackProps extends Site, Omit<AuthorizedProps, "outcome"> {
  /** `id_token` if this is all that arrived. */
  readonly outcome: AuthorizedOutcome | { readonly kind: "id_token" };
  /** On failure: how to fix it, if the description names a rule of this server. */
  readonly fix?: string;
  /** On failure: the scope values of this server. */
  readonly scopes?: readonly string[];
  /** The parameters of the authorization request, if this browser sent it from `/start`. */
  readonly request?: HiddenFields;
  readonly response: HiddenFields;
  /** The names of unknown parameters. Default: none. */
  readonly ignoredParameters?: readonly string[];
  /** The first checks of a client. */
  readonly checks: readonly ResponseCheck[];
  readonly userinfoEndpoint: string;
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

/** The page of the minimal server with the elements of this one, the checks of a client and the next steps. */
export function CallbackPage(props: CallbackProps): VNode {
  const { outcome, ...others } = props;
  if (outcome.kind === "id_token") return <IdTokenAlone {...props} />;
  return (
    <AuthorizedPage
      {...others}
      outcome={outcome}
      elements={elementsOf(props)}
      additions={{
        links: <FlowLink site={props} />,
        ...outcome.kind === "success" && successParts(props),
        ...outcome.kind === "failure" && outcome.error !== undefined && {
          details: <FailureDetails props={props} error={outcome.error} />,
        },
      }}
    />
  );
}

const badges: Partial<Record<CallbackProps["outcome"]["kind"], VNode>> = {
  failure: <StatusBadge tone="bad" label="error" />,
};

function elementsOf(props: CallbackProps): AuthorizedElements {
  const { outcome } = props;
  const isUsed = outcome.kind === "success" && outcome.isUsed;
  return {
    Notes,
    Code,
    Value: CopyableValue,
    Verdict: CheckItem,
    SecretText: TextWithSecrets,
    Command,
    Frame: ({ heading, opening, children }) => (
      <Layout
        site={props}
        styles={["authorized"]}
        heading={heading}
        badges={isUsed ? <StatusBadge tone="over" label="code used" /> : badges[outcome.kind]}
        stepper={<StepLine site={props} stepper={props.next?.stepper} startLinks={props.startLinks} />}
        opening={opening}
      >
        {children}
      </Layout>
    ),
    ResponseError: ({ error, description }) => (
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
    ),
  };
}

function Notes({ notes }: { readonly notes: readonly string[] }): VNode | null {
  if (notes.length === 0) return null;
  return <Notice kind="warn">{notes.map((note) => <p key={note}>{note}</p>)}</Notice>;
}

const Command: AuthorizedElements["Command"] = ({ label, text, secrets }) => (
  <div class="box">
    <pre class="wire" tabIndex={0} role="region" aria-label={upperFirst(label)}>
      <TextWithSecrets text={text} secrets={secrets} />
    </pre>
    <CopyButton description={`the ${label}`} />
  </div>
);

/** The checks, what leads to the next steps, and the request and response. */
function successParts(props: CallbackProps): AuthorizedAdditions {
  const { next, examples } = props;
  return {
    actions: next?.actions as ComponentChildren,
    checks: (
      <Section id="checks" heading="Checks of the client">
        <ResponseChecks checks={props.checks} />
      </Section>
    ),
    beforeSteps: examples.some(({ secrets = [] }) => secrets.length > 0) && (
      <ShowAllSecrets shown={next?.secretsShown === true} />
    ),
    inLastStep: next?.request as ComponentChildren,
    afterExamples: (
      <>
        <h3>With the access token of the response</h3>
        <dl class="values">
          <CopyableValue
            label="Userinfo request"
            text={`curl ${props.userinfoEndpoint} -H 'Authorization: Bearer ACCESS_TOKEN'`}
          />
        </dl>
      </>
    ),
    details: (
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
    ),
  };
}

function FailureDetails({ props, error }: { readonly props: CallbackProps; readonly error: string }): VNode {
  return (
    <Panes>
      <Section id="checks" heading="Checks of the client">
        <ResponseChecks checks={props.checks} />
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
  );
}

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

function IdTokenAlone(props: CallbackProps): VNode {
  return (
    <Layout
      site={props}
      styles={["authorized"]}
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
        <ResponseChecks checks={props.checks} />
      </Section>
      <Section id="round-trip" heading="Authorization request and response">
        <AuthorizationResponse {...props} />
      </Section>
    </Layout>
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
  ["invalid_authorization_details", "An object of authorization_details does not match the definition of its type."],
  ["server_error", "The server failed while it processed the request. The request itself may be correct."],
  ["temporarily_unavailable", "The server cannot process the request now. The same request may succeed later."],
  ["login_required", "The client requested a response without a login page, and no user is logged in."],
  ["consent_required", "The client requested a response without a consent page, and the user has not consented."],
  ["interaction_required", "The client requested a response without any page, and a page is necessary."],
  [
    "account_selection_required",
    "The client requested a response without a page, and the user must select an account.",
  ],
  [
    "unmet_authentication_requirements",
    "The client requires a level of authentication that the server or the login cannot reach.",
  ],
  ["request_not_supported", "The server does not support request objects passed by value."],
  ["request_uri_not_supported", "The server does not support request objects passed by reference."],
  ["registration_not_supported", "The server does not support client metadata inside the request."],
]);
