/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** One flow: why it failed if it did, who spoke to whom, what was issued, and ways to take it away. */

import type { VNode } from "preact";
import { Layout, Section } from "../layout.tsx";
import { TwoSteps } from "../delete_form.tsx";
import { Fact, Wire } from "../value.tsx";
import { Evidence } from "./checks.tsx";
import { Head } from "./head.tsx";
import { IssuedTree } from "./issued.tsx";
import { inShort, Moment } from "./moment.tsx";
import type { FlowProps, Reason } from "./props.ts";
import { Rule } from "./rule.tsx";
import { Lanes } from "./sequence.tsx";
import { Step } from "./step.tsx";

/** The first thing on the page of a flow in which something was refused. */
function Why({ reason, wentOn }: { readonly reason: Reason; readonly wentOn: boolean }): VNode {
  const { step, more, title, error, reason: sentence, mend } = reason;
  return (
    <div class="reason">
      <div class={`notice ${wentOn ? "warn" : "bad"}`} role={wentOn ? undefined : "alert"}>
        <p>
          <strong>
            <bdi>{sentence}</bdi>
          </strong>
        </p>
        <p>
          <Wire text={error} />, in <a href={`#step-${step}`}>step {step}, {title}</a>
          {more > 0 && `, and ${more === 1 ? "1 step" : `${more} steps`} after it`}
          {wentOn && "; the flow went on"}
        </p>
      </div>
      <Evidence {...reason} />
      {mend !== undefined && (
        <p>
          <strong>To mend it:</strong> {mend}
        </p>
      )}
    </div>
  );
}

/** The page of one flow. */
export function Flow(props: FlowProps): VNode {
  const { base, row, took, reason, wentOn, steps, next, issued, secrets, formToken } = props;
  const path = `${base}/flows/${row.id}`;
  return (
    <Layout
      site={props}
      path={`/flows/${row.id}`}
      head={<Head base={base} page="flow" />}
      heading={`Flow ${row.id}: ${row.standing.words}`}
      opening={
        <>
          {reason && <Why reason={reason} wentOn={wentOn} />}
          {secrets === "shown" && (
            <div class="notice warn">
              <p>
                This page shows secrets. <a href={path}>Mask them all</a>
              </p>
            </div>
          )}
          <dl class="facts">
            {reason && (
              <Fact label="Rule">
                <Rule rule={reason.rule} cites={reason.cites} />
              </Fact>
            )}
            <Fact label="Client">
              {row.client === undefined ? "not known" : <Wire text={row.client} />}
            </Fact>
            {row.user !== undefined && (
              <Fact label="User">
                <Wire text={row.user} />
              </Fact>
            )}
            <Fact label="Began">
              <Moment at={row.at} whole />
              {took !== undefined && `, took ${inShort(took)}`}
            </Fact>
          </dl>
          <p>
            <a id="again" data-flow={row.id} href={path}>Show it as it is now</a>
          </p>
        </>
      }
    >
      <Section id="sequence" heading="Sequence">
        <p class="aside">Each step unfolds: what was sent, what was checked, what was answered. Times are UTC.</p>
        <div class="diagram">
          <Lanes client={row.client} />
          <ol class="sequence">
            {steps.map((step) => <Step key={step.number} step={step} path={path} secrets={secrets} />)}
          </ol>
        </div>
        {(next !== undefined || steps[0]?.number !== 1) && (
          <p>
            {steps[0]?.number !== 1 && <a href={path}>The first steps</a>}{" "}
            {next !== undefined && <a href={`${path}?from=${next}`}>Steps from {next} on</a>}
          </p>
        )}
      </Section>
      {issued.length > 0 && (
        <Section id="issued" heading="Issued">
          <p class="aside">What was issued, below what it was issued for, as it stands now.</p>
          <IssuedTree issued={issued} />
        </Section>
      )}
      <Section id="keep" heading="Keep or delete">
        <ul>
          <li>
            <a href={`${path}.txt`}>Text</a>, for a bug report
          </li>
          <li>
            <a href={`${path}.har`}>HAR</a>, for the network panel of a browser
          </li>
          <li>
            <a href={`${path}.json`}>JSON</a>, as a fixture for a test
          </li>
        </ul>
        <p class="aside">Secrets are masked in all three.</p>
        <TwoSteps
          first="Delete this flow"
          second="Yes, delete it"
          action={path}
          says={["do", "delete"]}
          token={formToken}
        >
          Delete flow {row.id}? Its steps can be seen nowhere else. What it issued stays as good as it was.
        </TwoSteps>
        <p class="ways">
          <a href={`${base}/flows`}>All flows</a>
        </p>
      </Section>
    </Layout>
  );
}
