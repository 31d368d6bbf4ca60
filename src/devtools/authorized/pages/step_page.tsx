/** @jsxImportSource preact */
/** The steps after an authorization response: their part of the page `/authorized`, and the page of a sent step. */

import type { VNode } from "preact";
import type { NextSteps } from "../../../server/pages/authorized_page.tsx";
import { type DescribedCheck, type ResponseCheck, ResponseChecks } from "../../../server/pages/checks.tsx";
import { DecodedTokenView } from "../../../server/pages/decoded_token.tsx";
import { Fix } from "../../../server/pages/fix.tsx";
import {
  type HttpExchange,
  HttpExchangeView,
  type HttpMessage,
  HttpMessageView,
} from "../../../server/pages/http_exchange.tsx";
import { Layout, Panes, Section, type Site } from "../../../server/pages/layout.tsx";
import { lowerFirst } from "../../../server/pages/first_letter.ts";
import { Notice } from "../../../server/pages/notice.tsx";
import { PageActions } from "../../../server/pages/page_actions.tsx";
import { StepLine } from "../../../server/pages/step_line.tsx";
import { type FormStep, LoginStepper, type PastStep, StepForm, type StepFormState } from "./step_form.tsx";
import { type StepLesson, stepLessons, stepTexts } from "./step_form.tsx";
import { HiddenInputs } from "../../../server/pages/post_form.tsx";
import { TextWithRule } from "../../../server/pages/rule_link.tsx";
import { type Secret, ShowAllSecrets } from "../../../server/pages/secret_value.tsx";
import { StatusBadge } from "../../../server/pages/status_badge.tsx";
import { checkSentence, type TokenCheck } from "../../requests/pages/tokens.tsx";

/** What the steps add to the page `/authorized`. */
export interface NextStepsProps {
  /** The prefix of all links to this server. */
  readonly base: string;
  readonly authorized: "done" | "failed" | undefined;
  readonly isCodeUsed: boolean;
  /** The token request that the first step sends; absent if the steps cannot send it. */
  readonly proposal?: Proposal;
  /** The client, if it signs each request. Default: none. */
  readonly signedBy?: string;
}

/** The token request that the first step sends. */
export interface Proposal {
  readonly request: HttpMessage;
  readonly secrets: readonly Secret[];
  /** Whether secrets are shown until the reader chooses. */
  readonly secretsShown: boolean;
  readonly form: StepFormState;
  /** The parameters that the reader can edit before they are sent. */
  readonly editable: readonly (readonly [name: string, value: string])[];
}

/** The parts of the page `/authorized`. */
export function nextSteps({ base, authorized, isCodeUsed, proposal, signedBy }: NextStepsProps): NextSteps {
  return {
    stepper: <LoginStepper authorized={authorized} past={isCodeUsed ? [{ step: "exchange", done: true }] : []} />,
    ...proposal === undefined
      ? {
        request: (
          <p class="aside">
            {signedBy !== undefined
              ? "The client signs this request with its key, so this page cannot send it: let a client library send it."
              : "This page can send the request only for a code that this browser requested for a client of this page. " +
                "For other codes, use the examples."}
          </p>
        ),
      }
      : {
        actions: <StepForm form={proposal.form} base={base} />,
        request: <ProposalView proposal={proposal} base={base} />,
        secretsShown: proposal.secretsShown,
      },
    signedBy,
  };
}

function ProposalView({ proposal, base }: { readonly proposal: Proposal; readonly base: string }): VNode {
  const { request, secrets, form, editable } = proposal;
  return (
    <>
      <HttpMessageView
        label="The token request"
        message={request}
        secrets={secrets}
        copyLabel="the token request"
      />
      {editable.length > 0 && (
        <EditForm proposal={{ form, editable, secretsShown: proposal.secretsShown }} base={base} />
      )}
    </>
  );
}

/** The token request with fields to change, to see what the server rejects. */
function EditForm({ proposal: { form, editable, secretsShown }, base }: {
  readonly proposal: Pick<Proposal, "form" | "editable" | "secretsShown">;
  readonly base: string;
}): VNode {
  return (
    <details class="quiet">
      <summary>Edit and send</summary>
      <form class="next-step" method="post" action={`${base}/authorized/try`}>
        <HiddenInputs fields={form.fields} />
        <p>
          Change one character: the server rejects the request, and says what it expected. The code stays valid, because
          an attacker could have sent the wrong request.
        </p>
        {editable.map(([name, value]) => (
          <div class="field" key={name}>
            <label for={name}>
              <code class="wire">{name}</code>
            </label>
            <input
              id={name}
              name={name}
              {...(secretsShown || name !== "code_verifier" ? { type: "text" } : { type: "password" })}
              value={value}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
            />
          </div>
        ))}
        <p class="ways">
          <button type="submit" class="button plain" name="step" value="edit">{stepTexts.edit.button}</button>
        </p>
      </form>
    </details>
  );
}

/** The outcome of a step. */
export interface StepProps extends Site {
  readonly step: FormStep;
  /** `rejected`: an error, or an inactive token. `dropped`: no response. */
  readonly outcome: "done" | "rejected" | "dropped";
  /** The reason of a rejection, from the response. Default: none. */
  readonly reason?: string;
  /** How to fix it, if the reason names a rule of this server. Default: none. */
  readonly fix?: string;
  /** The exchanges in order. */
  readonly exchanges: readonly (HttpExchange & { readonly step: FormStep })[];
  /** Whether secrets are shown until the user hides them. */
  readonly secretsShown: boolean;
  /** The checks of the client; empty if the response has no ID token. */
  readonly checks: readonly ResponseCheck[];
  readonly tokenChecks: readonly TokenCheck[];
  readonly tokens: readonly { readonly name: string; readonly token: string }[];
  /** The server's clock, in milliseconds since the epoch. */
  readonly now: number;
  /** The steps so far, oldest first. */
  readonly past: readonly PastStep[];
  readonly isCodeUsed: boolean;
  readonly form: StepFormState;
  /** The token request that can still be edited; empty after the exchange. */
  readonly editable: Proposal["editable"];
  /** The path of the logout of the client. */
  readonly logoutHref: string;
}

const dropped: StepLesson = {
  heading: "No response",
  lesson:
    "The connection ended before the response arrived. The client cannot know whether the server processed the request. After a lost token response, it must start a new login and never use the code again.",
};

/** A failed check with its fix, which says what the client must do. */
function describeCheck(check: TokenCheck): DescribedCheck {
  const { passed, expected, received, cites, fix = "" } = check;
  const text = checkSentence(check);
  return { passed, expected, received, rule: cites[0]!, text: passed === false ? `${text} ${fix}`.trim() : text };
}

/** The outcome of a step, at `/authorized/try`. */
export function StepPage(props: StepProps): VNode {
  const { step, outcome, exchanges, checks, tokenChecks, tokens, form, base } = props;
  const { heading, lesson } = outcome === "dropped" ? dropped : stepLessons[outcome][step];
  const allChecks = [...checks, ...tokenChecks];
  const rejectsTokens = allChecks.some(({ passed }) => passed === false);
  const checkSection = allChecks.length > 0 && (
    <Section id="checks" heading="Checks of the client">
      <ResponseChecks
        checks={checks}
        others={tokenChecks.map(describeCheck)}
      />
    </Section>
  );
  return (
    <Layout
      site={props}
      styles={["authorized"]}
      heading={heading}
      badges={
        <>
          {outcome === "done" ? <StatusBadge tone="good" label="success" /> : <StatusBadge tone="bad" label="error" />}
          {step === "replay" && outcome === "rejected" && <StatusBadge tone="good" label="expected" />}
          {rejectsTokens && <StatusBadge tone="bad" label="a check failed" />}
          {props.isCodeUsed && <StatusBadge tone="over" label="code used" />}
          {form.grantRevoked && <StatusBadge tone="over" label="revoked" />}
        </>
      }
      stepper={
        <StepLine
          site={props}
          stepper={<LoginStepper authorized="done" past={props.past} current={step} />}
          startLinks={form.startLinks}
        />
      }
      opening={
        <>
          <StepForm form={form} base={base} />
          {props.isCodeUsed && step === "exchange" && outcome === "done" && (
            <p>The code is used up: the client must never send it again.</p>
          )}
          {props.reason !== undefined && (
            <Notice kind="bad">
              <p>
                <bdi>
                  <TextWithRule text={props.reason} />
                </bdi>
              </p>
            </Notice>
          )}
          <Fix fix={props.fix} />
          {step === "replay" && exchanges.length > 1 && <ReplayOutcome grantRevoked={form.grantRevoked} />}
          <details class="quiet">
            <summary>What this shows</summary>
            <p>{lesson}</p>
          </details>
        </>
      }
    >
      {rejectsTokens && checkSection}
      <Section id="exchange" heading="Request and response">
        {exchanges.some(({ secrets }) => secrets.length > 0) && <ShowAllSecrets shown={props.secretsShown} />}
        {exchanges.map(({ step: sent, ...exchange }, i) => {
          const name = lowerFirst(stepTexts[sent].button);
          const purpose = exchanges.length > 1 ? ` to ${name}` : "";
          return (
            <>
              {exchanges.length > 1 && <h3>{i === 0 ? stepTexts[sent].button : `Then: ${name}`}</h3>}
              <HttpExchangeView
                {...exchange}
                copyLabels={{ request: `the request${purpose}`, response: `the response${purpose}` }}
              />
            </>
          );
        })}
        {props.editable.length > 0 && <EditForm proposal={props} base={base} />}
      </Section>
      {!rejectsTokens && checkSection}
      {tokens.length > 0 && (
        <Section id="tokens" heading="Decoded tokens">
          <Panes>
            {tokens.map(({ name, token }) => <DecodedTokenView key={name} name={name} token={token} now={props.now} />)}
          </Panes>
        </Section>
      )}
      <PageActions
        site={props}
        startLinks={form.main && form.startLinks}
        logoutHref={props.logoutHref}
        plain
      />
    </Layout>
  );
}

/** The effect of the second use of a code on the tokens of the first use. */
function ReplayOutcome({ grantRevoked }: { readonly grantRevoked: boolean }): VNode {
  return grantRevoked
    ? (
      <p>
        The access token is rejected too, see below: the second use revoked every token of the grant, including the
        refresh token.
      </p>
    )
    : <p>The access token still works, see below: the code is so old that the server no longer knows its grant.</p>;
}
