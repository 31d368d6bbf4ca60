/** @jsxImportSource preact */
/** One exchange of a flow: its arrows and, unfolded, its checks, request and response. */

import type { ComponentChildren, VNode } from "preact";
import { TokenClaims } from "../../../server/pages/decoded_token.tsx";
import { checkCount, CheckList } from "../../../server/pages/check_list.tsx";
import { Panes } from "../../../server/pages/layout.tsx";
import { StatusBadge } from "../../../server/pages/status_badge.tsx";
import { StatusCode } from "../../../server/pages/http_exchange.tsx";
import { RuleChecks, Warnings } from "./checks.tsx";
import { formatMilliseconds, RejectionLine, Timestamp } from "./parts.tsx";
import type { FlowProps, FlowStep, MessageDetails, MessageField } from "./props.ts";
import { Arrow } from "./sequence.tsx";

interface StepProps {
  readonly step: FlowStep;
  /** The path of the flow's page. */
  readonly path: string;
  readonly secrets: FlowProps["secrets"];
  readonly now: FlowProps["now"];
  /** Whether the flow has too many steps for a page that shows each of them in full. */
  readonly long: boolean;
}

/** The page that shows a step, in full where the flow is long. */
function stepHref({ step: { number }, path, long }: StepProps, secrets: boolean): string {
  const query = [...long ? [`step=${number}`] : [], ...secrets ? ["show=secrets"] : []].join("&");
  return `${path}${query && `?${query}`}#step-${number}`;
}

/** The number of secrets in a step; a link at the top of the page shows or hides all. */
function MaskedValues({ step: { masked }, secrets }: StepProps): VNode | null {
  if (masked === 0) return null;
  const values = masked === 1 ? "1 secret is" : `${masked} secrets are`;
  return <p class="aside">{values} {secrets === "shown" ? "shown" : "hidden"}.</p>;
}

/** A step in short: the number of its passed checks, and the link to the step in full. */
function StepInFull(props: StepProps): VNode {
  const { number, checks } = props.step;
  return (
    <p>
      {checks.length > 0 && `${checkCount(checks.map(({ passed }) => passed))}. `}
      <a href={stepHref(props, props.secrets === "shown")}>Show step {number} in full</a>
    </p>
  );
}

/** Belongs inside `<ol class="sequence">`. The anchor is inside the folded part, so that a link to it unfolds it. */
export function StepItem(props: StepProps): VNode {
  const { rejection, open, number } = props.step;
  return (
    <li>
      <details class="step" open={open}>
        <summary>
          <StepTitle {...props}>{rejection && <RejectionLine {...rejection} />}</StepTitle>
        </summary>
        <div id={`step-${number}`}>
          <StepDetails {...props} />
        </div>
      </details>
    </li>
  );
}

/** The rejected step in the sequence: its title leads to {@link RejectedStep}. */
export function RejectedStepItem(props: StepProps): VNode {
  return (
    <li>
      <div class="step">
        <StepTitle {...props} isLink />
      </div>
    </li>
  );
}

/** The step that the page of a flow is about, beside its reason: the failed check in one line, request, response. */
export function RejectedStep(props: StepProps): VNode {
  const { number, title } = props.step;
  return (
    <section class="step" id={`step-${number}`} aria-labelledby={`step-${number}-heading`}>
      <div class="heading">
        <h2 id={`step-${number}-heading`}>Step {number}: {title}</h2>
        <CurlLink {...props} />
      </div>
      <StepDetails {...props} isReason />
    </section>
  );
}

/** What a step is in short, and its arrows. */
function StepTitle({ step, isLink = false, children }: StepProps & {
  readonly isLink?: boolean;
  readonly children?: ComponentChildren;
}): VNode {
  const { number, title, at, durationMs, status, hops } = step;
  return (
    <>
      <span class="title">
        <span>{number}</span>
        <h3>{isLink ? <a href={`#step-${number}`}>{title}</a> : title}</h3>
        <StatusBadge {...status} />
        <small>
          <Timestamp at={at} />
          {durationMs !== undefined && <span>{formatMilliseconds(durationMs)}</span>}
        </small>
        {children}
      </span>
      {hops.map((hop, i) => <Arrow key={i} {...hop} />)}
    </>
  );
}

/** Renders nothing for a request that was not recorded whole. */
function CurlLink({ step: { number, hasCommand, brief }, path }: StepProps): VNode | null {
  return hasCommand && !brief ? <a href={`${path}.sh?step=${number}`}>Copy step {number} as curl</a> : null;
}

/** The checks of a step, its request and its response. Reason, fix and actions of the rejected step are beside it. */
function StepDetails({ isReason = false, ...props }: StepProps & { readonly isReason?: boolean }): VNode {
  const { step, now } = props;
  const { checks, warnings, notes, request, response } = step;
  const failed = checks.filter(({ passed }) => passed === false);
  const others = checks.filter(({ passed }) => passed !== false);
  const canCopy = step.hasCommand && !step.brief;
  const options = { now, brief: step.brief, level: isReason ? "h3" : "h4" } as const;
  return (
    <>
      {failed.length > 0 && <RuleChecks checks={failed} inLines={isReason} />}
      {step.brief && <StepInFull {...props} />}
      {!step.brief && others.length > 0 && (
        <CheckList results={checks.map(({ passed }) => passed)} failedOutside>
          <RuleChecks checks={others} />
        </CheckList>
      )}
      <Warnings warnings={warnings} />
      {notes.map((note) => (
        <p key={note}>
          <b>i</b> <bdi>{note}</bdi>
        </p>
      ))}
      {canCopy && !isReason && (
        <p>
          <CurlLink {...props} />
        </p>
      )}
      <Panes>
        <Message title="Request" message={request} {...options} />
        {response && <Message title="Response" message={response} {...options} />}
      </Panes>
      {!step.brief && !isReason && <MaskedValues {...props} />}
    </>
  );
}

interface MessageOptions {
  /** The current time, in milliseconds since the epoch. */
  readonly now: number;
  /** Whether to leave out headers and decoded tokens. */
  readonly brief: boolean;
}

/** Names and values in the order in which they were sent. */
function FieldList({ fields, now, brief }: MessageOptions & { readonly fields: readonly MessageField[] }): VNode {
  return (
    <dl class="sent">
      {fields.map(({ name, value, jwt }) => (
        <>
          <dt>{name}</dt>
          <dd>
            {value}
            {jwt && !brief && <TokenClaims {...jwt} now={now} />}
          </dd>
        </>
      ))}
    </dl>
  );
}

/** A request or a response. */
function Message(
  { title, message, level: Heading, ...options }: MessageOptions & {
    readonly title: string;
    readonly message: MessageDetails;
    /** The element of its heading. */
    readonly level: "h3" | "h4";
  },
): VNode {
  const { line, headers, parts, text } = message;
  return (
    <div>
      <Heading>
        {title}{" "}
        <code>
          {title === "Response" ? <StatusCode status={line} /> : line}
        </code>
      </Heading>
      {parts.map((part) => (
        <>
          {part.title !== undefined && <p>{part.title}</p>}
          <FieldList fields={part.sent} {...options} />
        </>
      ))}
      {text !== undefined && <pre class="wire box">{text}</pre>}
      {headers.length > 0 && !options.brief && (
        <details>
          <summary>{headers.length === 1 ? "1 header" : `${headers.length} headers`}</summary>
          <pre class="wire">{headers.map(({ name, value }) => `${name}: ${value}`).join("\n")}</pre>
        </details>
      )}
    </div>
  );
}
