/** @jsxImportSource preact */
/** The page of one flow: the reason of a failure, the sequence, the issued tokens, the exports. */

import type { ComponentChildren, VNode } from "preact";
import { Layout, Section } from "../../../server/pages/layout.tsx";
import { ConfirmedAction } from "../../../server/pages/confirmed_action.tsx";
import { lowerFirst, upperFirst } from "../../../server/pages/first_letter.ts";
import { ClockNotice, Notice } from "../../../server/pages/notice.tsx";
import { Standalone, type StandaloneStyle } from "../../../server/pages/standalone.tsx";
import { StatusBadge } from "../../../server/pages/status_badge.tsx";
import { Code } from "../../../server/pages/value.tsx";
import { FailureSummary } from "./failure.tsx";
import { formatMilliseconds, Timestamp } from "./parts.tsx";
import type { FlowProps, FlowStep, Issued, IssuedStatus } from "./props.ts";
import { Lanes } from "./sequence.tsx";
import { RejectedStep, RejectedStepItem, StepItem } from "./step.tsx";

/** The place of the list beside the flow, on wide screens: a script fills it. */
function ListBeside({ base }: Pick<FlowProps, "base">): VNode {
  return (
    <nav class="beside" id="beside" aria-label="Flows">
      <a href={`${base}/flows`}>All flows</a>
    </nav>
  );
}

/** The status of an issued code or token. */
function IssuedBadge({ tone, label, at, isOtherDay, rest }: IssuedStatus): VNode {
  if (at === undefined) return <StatusBadge tone={tone} label={label} />;
  return (
    <StatusBadge tone={tone} label={label}>
      {" "}
      <Timestamp at={at} short={isOtherDay} />
      {rest}
    </StatusBadge>
  );
}

/** Issued codes and tokens with their current status, each below the one that it was issued for. */
function IssuedTree({ issued }: { readonly issued: readonly Issued[] }): VNode {
  return (
    <ul class="tree">
      {issued.map(({ name, step, status, reference, children }, i) => (
        <li key={i}>
          <div>
            <span>{name} of step {step}</span>
            <IssuedBadge {...status} />
            {reference !== undefined && (
              <button type="submit" class="button plain" name="issued" value={reference}>
                Check<span class="unseen">{` ${lowerFirst(name)} of step ${step}`}</span>
              </button>
            )}
          </div>
          {children.length > 0 && <IssuedTree issued={children} />}
        </li>
      ))}
    </ul>
  );
}

/** Whether a token, or one that was issued for it, can be checked. */
function isCheckable({ reference, children }: Issued): boolean {
  return reference !== undefined || children.some(isCheckable);
}

function IssuedSection({ base, issued, isSilent, unreadScope, csrfToken }: FlowProps): VNode {
  const tree = <IssuedTree issued={issued} />;
  return (
    <Section id="issued" heading="Issued">
      {isSilent && (
        <p class="aside">
          The client has sent nothing since it got these tokens. That is normal. If the login failed, the client
          rejected them: paste its error message into the search of <a href={`${base}/flows`}>all flows</a>.
        </p>
      )}
      {unreadScope !== undefined && (
        <p class="aside">
          The ID token has no claims of <Code text={unreadScope.values} />, and the client has not called userinfo.{" "}
          {unreadScope.fix}
        </p>
      )}
      {!issued.some(isCheckable) ? tree : (
        <form method="post" action={`${base}/tokens`}>
          <input type="hidden" name="form_token" value={csrfToken} />
          {tree}
        </form>
      )}
    </Section>
  );
}

/** One line about a flow: number, error, client, user, time. */
function Facts({ row, reason, about }: Pick<FlowProps, "row" | "reason" | "about">): VNode {
  const { at, client, user, durationMs, document, steps } = row;
  return (
    <p class="facts-line">
      {document === undefined ? flowLabel(row, { about, reason }) : steps === 1 ? "1 request" : `${steps} requests`}
      {reason && <Code text={reason.error} />}
      {client !== undefined && (
        <span>
          client <Code text={client} />
        </span>
      )}
      {user !== undefined && (
        <span>
          user <Code text={user} />
        </span>
      )}
      <Timestamp at={at} full />
      {durationMs !== undefined && <span>{formatMilliseconds(durationMs)}</span>}
    </p>
  );
}

/** The number of the flow and, after a rejection, that of its request, which the link of the rejection has. */
function flowLabel({ id }: FlowProps["row"], { about, reason }: Pick<FlowProps, "about" | "reason">): string {
  return about?.label ?? (reason === undefined ? `Flow ${id}` : `Flow ${id}, request ${reason.request}`);
}

/** The reason of a rejection, or else what happened. */
export function flowHeading({ row, reason, continued }: Pick<FlowProps, "row" | "reason" | "continued">): string {
  if (row.document !== undefined) return `Requests for ${row.document}`;
  return upperFirst(
    continued || reason === undefined && row.rejection === undefined
      ? row.status.label
      : reason?.reason ?? row.rejection!.reason,
  );
}

/** A failure: reason, fix and actions, and on wide screens beside them the rejected step, if the page shows it. */
function Opening({ props, rejected, children }: {
  readonly props: FlowProps;
  readonly rejected?: FlowStep;
  /** Follows the line of facts. */
  readonly children?: ComponentChildren;
}): VNode {
  const { base, reason, continued, row, secrets, now, long, sinceSuccess } = props;
  const path = `${base}/flows/${row.id}`;
  const summary = (
    <>
      {reason && <FailureSummary {...{ base, reason, continued }} />}
      {sinceSuccess && (
        <p>
          Since the last success, <a href={`${base}/flows/${sinceSuccess.flow}`}>flow {sinceSuccess.flow}</a>:{" "}
          <bdi>{sinceSuccess.differences.join(", ")}</bdi>.
        </p>
      )}
      <Facts {...props} />
      {children}
    </>
  );
  if (rejected === undefined) return summary;
  return (
    <div class="panes failed">
      <div>{summary}</div>
      <RejectedStep {...{ step: rejected, path, secrets, now, long }} />
    </div>
  );
}

/** The step that the reason of the page is about; absent where the page shows other steps of a long flow. */
function findRejected({ reason, steps }: FlowProps): FlowStep | undefined {
  return reason && steps.find(({ number }) => number === reason.step);
}

/** The steps between client, browser and server. */
function Sequence({ props, children }: { readonly props: FlowProps; readonly children?: ComponentChildren }): VNode {
  const { base, row, steps, secrets, now, long } = props;
  const path = `${base}/flows/${row.id}`;
  const rejected = findRejected(props);
  return (
    <Section id="sequence" heading="Sequence">
      <div class="diagram">
        <Lanes client={row.client} />
        <ol class="sequence">
          {steps.map((step) => {
            const Item = step === rejected ? RejectedStepItem : StepItem;
            return <Item key={step.number} {...{ step, path, secrets, now, long }} />;
          })}
        </ol>
      </div>
      {children}
    </Section>
  );
}

/** Maximum number of actions that the page shows; others are folded. */
const maxActions = 3;

export function FlowDetails(props: FlowProps): VNode {
  const { base, row, reason, steps, next, issued, about, secrets, csrfToken, hostWarning } = props;
  const path = `${base}/flows/${row.id}`;
  const hasMasked = secrets !== "never" && steps.some(({ masked }) => masked > 0);
  const rejected = findRejected(props);
  const actionCount = reason?.change === undefined ? 0 : 1;
  const links = [
    <a key="html" class="button plain" href={`${path}.html`} download>Share as HTML</a>,
    <a key="md" class="button plain" href={`${path}.md`}>Copy as Markdown</a>,
    ...hasMasked
      ? [
        <a key="secrets" class="button plain" href={secrets === "shown" ? path : `${path}?show=secrets`}>
          {secrets === "shown" ? "Hide all secrets" : "Show all secrets"}
        </a>,
      ]
      : [],
  ];
  const folded = links.slice(maxActions - actionCount);
  return (
    <Layout
      site={props}
      path={`/flows/${row.id}`}
      styles={["devtools/flow"]}
      scripts={["devtools/flow"]}
      stepper={about === undefined && <ListBeside base={base} />}
      heading={<bdi>{flowHeading(props)}</bdi>}
      title={`${flowHeading(props)} · ${flowLabel(row, props)}`}
      badges={
        <>
          <StatusBadge {...row.outcome} />
          {about === undefined
            ? <a id="again" data-flow={row.id} href={path}>Reload</a>
            : <a href={base + about.list.path}>{about.list.label}</a>}
        </>
      }
      opening={
        <>
          <ClockNotice site={props} />
          {[hostWarning, row.warning].map((text) =>
            text !== undefined && <Notice key={text} kind="warn" text={text} />
          )}
          <Opening props={props} rejected={rejected}>
            <div class="ways">
              {links.slice(0, maxActions - actionCount)}
              {secrets === "shown" && <StatusBadge tone="warn" label="Secrets are shown" />}
              <details class="quiet">
                <summary>More</summary>
                {folded.length > 0 && <p class="ways">{folded}</p>}
                {about === undefined && row.document === undefined && (
                  <ConfirmedAction
                    label="Delete this flow"
                    confirmLabel="Yes, delete it"
                    action={path}
                    submits={["do", "delete"]}
                    csrfToken={csrfToken}
                  >
                    Delete flow {row.id}? You cannot restore it. Tokens that the flow issued stay valid.
                  </ConfirmedAction>
                )}
              </details>
            </div>
          </Opening>
        </>
      }
    >
      <Sequence props={props}>
        {(next !== undefined || steps[0]?.number !== 1) && (
          <p>
            {steps[0]?.number !== 1 && <a href={path}>First steps</a>}{" "}
            {next !== undefined && <a href={`${path}?from=${next}`}>Steps from {next}</a>}
          </p>
        )}
      </Sequence>
      {issued.length > 0 && <IssuedSection {...props} />}
    </Layout>
  );
}

/** The page of a flow as a document that needs no server: without links, forms and curl commands. */
export function FlowDocument({ style, styleDigest, ...flow }: FlowProps & StandaloneStyle): VNode {
  const steps = flow.steps.map((step): FlowStep => ({ ...step, brief: false, hasCommand: false }));
  const props: FlowProps = { ...flow, steps, long: false, secrets: "never" };
  return (
    <Standalone title={flowHeading(props)} style={style} styleDigest={styleDigest}>
      <div class="opening">
        <div class="heading">
          <h1>
            <bdi>{flowHeading(props)}</bdi>
          </h1>
          <StatusBadge {...flow.row.outcome} />
        </div>
        <Opening props={props} rejected={findRejected(props)} />
      </div>
      <Sequence props={props} />
    </Standalone>
  );
}
