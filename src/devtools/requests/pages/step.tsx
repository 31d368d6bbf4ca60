/** @jsxImportSource preact */
/** One exchange of a flow: its arrows and, unfolded, its checks, request and response. */

import type { VNode } from "preact";
import { Claims } from "../../../server/pages/decoded_token.tsx";
import { checkCount, CheckList } from "../../../server/pages/check_list.tsx";
import { Panes } from "../../../server/pages/layout.tsx";
import { StatusBadge } from "../../../server/pages/status_badge.tsx";
import { StatusCode } from "../../../server/pages/status_line.tsx";
import { Checks, Warnings } from "./checks.tsx";
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
  const { step, now } = props;
  const { number, title, at, durationMs, status, rejection, hops, checks, warnings, notes, request, response } = step;
  const failed = checks.filter(({ passed }) => passed === false);
  const others = checks.filter(({ passed }) => passed !== false);
  const canCopy = step.hasCommand && !step.brief;
  return (
    <li>
      <details class="step" open={step.open}>
        <summary>
          <span class="title">
            <span>{number}</span>
            <h3>{title}</h3>
            <StatusBadge {...status} />
            <small>
              <Timestamp at={at} />
              {durationMs !== undefined && <span>{formatMilliseconds(durationMs)}</span>}
            </small>
            {rejection && <RejectionLine {...rejection} />}
          </span>
          {hops.map((hop, i) => <Arrow key={i} {...hop} />)}
        </summary>
        <div id={`step-${number}`}>
          {failed.length > 0 && <Checks checks={failed} />}
          {step.brief && <StepInFull {...props} />}
          {!step.brief && others.length > 0 && (
            <CheckList results={checks.map(({ passed }) => passed)} failedOutside>
              <Checks checks={others} />
            </CheckList>
          )}
          <Warnings warnings={warnings} />
          {notes.map((note) => (
            <p key={note}>
              <b>i</b> <bdi>{note}</bdi>
            </p>
          ))}
          {(canCopy || step.edit !== undefined) && (
            <p>
              {canCopy && <a href={`${props.path}.sh?step=${number}`}>Copy step {number} as curl</a>}{" "}
              {step.edit !== undefined && (
                <a href={step.edit}>
                  Edit and send again<span class="unseen">{`, step ${number}`}</span>
                </a>
              )}
            </p>
          )}
          <Panes>
            <Message title="Request" message={request} now={now} brief={step.brief} />
            {response && <Message title="Response" message={response} now={now} brief={step.brief} />}
          </Panes>
          {!step.brief && <MaskedValues {...props} />}
        </div>
      </details>
    </li>
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
            {jwt && !brief && <Claims {...jwt} now={now} />}
          </dd>
        </>
      ))}
    </dl>
  );
}

/** A request or a response. */
function Message(
  { title, message, ...options }: MessageOptions & { readonly title: string; readonly message: MessageDetails },
): VNode {
  const { line, headers, parts, text } = message;
  return (
    <div>
      <h4>
        {title}{" "}
        <code>
          {title === "Response" ? <StatusCode status={line} /> : line}
        </code>
      </h4>
      {parts.map((part) => (
        <>
          <p>{part.title}</p>
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
