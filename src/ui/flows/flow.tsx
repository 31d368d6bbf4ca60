/** @jsxImportSource preact */
/** The page of one flow: the reason of a failure, the sequence, the issued tokens, the exports. */

import type { VNode } from "preact";
import { Layout, Section } from "../layout.tsx";
import { ConfirmedAction } from "../confirmed_action.tsx";
import { Code, CodeItem, DefinitionItem } from "../value.tsx";
import { ExpectedVsReceived } from "./checks.tsx";
import { formatMilliseconds, Head, Rule, StatusBadge, Timestamp } from "./parts.tsx";
import type { FailureReason, FlowProps, Issued } from "./props.ts";
import { Lanes } from "./sequence.tsx";
import { StepItem } from "./step.tsx";

/** The reason of a rejection, at the top of the page. */
function FailureSummary({ reason, continued }: { readonly reason: FailureReason; readonly continued: boolean }): VNode {
  const { step, more, title, error, reason: sentence, fix } = reason;
  return (
    <div class="reason">
      <div class={`notice ${continued ? "warn" : "bad"}`} role={continued ? undefined : "alert"}>
        <p>
          <strong>
            <bdi>{sentence}</bdi>
          </strong>
        </p>
        <p>
          <Code text={error} />, in <a href={`#step-${step}`}>step {step}, {title}</a>
          {more > 0 && `, and ${more === 1 ? "1 step" : `${more} steps`} after it`}
          {continued && "; the flow continued"}
        </p>
      </div>
      <ExpectedVsReceived {...reason} />
      {fix !== undefined && (
        <p>
          <strong>How to fix it:</strong> {fix}
        </p>
      )}
    </div>
  );
}

/** Issued codes and tokens with their current status, each below the one that it was issued for. */
function IssuedTree({ issued }: { readonly issued: readonly Issued[] }): VNode {
  return (
    <ul class="tree">
      {issued.map(({ name, step, status, children }, i) => (
        <li key={i}>
          <span class="issued">
            <a href={`#step-${step}`}>
              {name}
              <span class="unseen">{` of step ${step}`}</span>
            </a>
            <StatusBadge {...status} />
          </span>
          {children.length > 0 && <IssuedTree issued={children} />}
        </li>
      ))}
    </ul>
  );
}

export function Flow(props: FlowProps): VNode {
  const { base, row, durationMs, reason, continued, steps, next, issued, now, secrets, csrfToken } = props;
  const path = `${base}/flows/${row.id}`;
  return (
    <Layout
      site={props}
      path={`/flows/${row.id}`}
      head={<Head base={base} page="flow" />}
      heading={`Flow ${row.id}: ${row.status.label}`}
      opening={
        <>
          {reason && <FailureSummary reason={reason} continued={continued} />}
          {secrets === "shown" && (
            <div class="notice warn">
              <p>
                This page shows secrets. <a href={path}>Hide all secrets</a>
              </p>
            </div>
          )}
          <dl class="facts">
            {reason?.rule !== undefined && (
              <DefinitionItem label="Rule">
                <Rule rule={reason.rule} cites={reason.cites} />
              </DefinitionItem>
            )}
            <DefinitionItem label="Client">
              {row.client === undefined ? "not known" : <Code text={row.client} />}
            </DefinitionItem>
            <CodeItem label="User" text={row.user} />
            <DefinitionItem label="Started">
              <Timestamp at={row.at} full />
              {durationMs !== undefined && `, took ${formatMilliseconds(durationMs)}`}
            </DefinitionItem>
          </dl>
          <p>
            <a id="again" data-flow={row.id} href={path}>Reload</a>
          </p>
        </>
      }
    >
      <Section id="sequence" heading="Sequence">
        <p class="aside">Open a step to see its request, its checks and its response. Times are UTC.</p>
        <div class="diagram">
          <Lanes client={row.client} />
          <ol class="sequence">
            {steps.map((step) => <StepItem key={step.number} step={step} path={path} secrets={secrets} now={now} />)}
          </ol>
        </div>
        {(next !== undefined || steps[0]?.number !== 1) && (
          <p>
            {steps[0]?.number !== 1 && <a href={path}>First steps</a>}{" "}
            {next !== undefined && <a href={`${path}?from=${next}`}>Steps from {next}</a>}
          </p>
        )}
      </Section>
      {issued.length > 0 && (
        <Section id="issued" heading="Issued">
          <p class="aside">
            Each token stands below the code or token that it was issued for, with its current status.
          </p>
          <IssuedTree issued={issued} />
        </Section>
      )}
      <Section id="keep" heading="Export or delete">
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
        <p class="aside">Exports never contain secrets.</p>
        <ConfirmedAction
          label="Delete this flow"
          confirmLabel="Yes, delete it"
          action={path}
          submits={["do", "delete"]}
          csrfToken={csrfToken}
        >
          Delete flow {row.id}? The recording cannot be restored. Its tokens stay valid.
        </ConfirmedAction>
        <p class="ways">
          <a href={`${base}/flows`}>All flows</a>
        </p>
      </Section>
    </Layout>
  );
}
