/** @jsxImportSource preact */
/** One exchange of a flow: its arrows and, unfolded, its checks, request and response. */

import type { VNode } from "preact";
import { Claims } from "../decoded_token.tsx";
import { CheckList } from "../check_list.tsx";
import { Panes } from "../layout.tsx";
import { StatusBadge } from "../status_badge.tsx";
import { StatusCode } from "../status_line.tsx";
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
}

/** The number of secrets in a step, with the link that shows or hides them. */
function MaskedValues({ step: { number, masked }, path, secrets }: StepProps): VNode | null {
  if (masked === 0) return null;
  const values = masked === 1 ? "1 secret is" : `${masked} secrets are`;
  if (secrets === "never") return <p class="aside">{values} hidden.</p>;
  const [state, query, action] = secrets === "shown" ? ["shown", "", "Hide"] : ["hidden", "?show=secrets", "Show"];
  return (
    <p class="aside">
      {values} {state}. <a href={`${path}${query}#step-${number}`}>{action} the secrets of step {number}</a>
    </p>
  );
}

/** Belongs inside `<ol class="sequence">`. The anchor is inside the folded part, so that a link to it unfolds it. */
export function StepItem(props: StepProps): VNode {
  const { step, now } = props;
  const { number, title, at, durationMs, status, rejection, hops, checks, warnings, notes, request, response } = step;
  const failed = checks.filter(({ passed }) => passed === false);
  const others = checks.filter(({ passed }) => passed !== false);
  return (
    <li>
      <details class="step" open={step.open}>
        <summary>
          <span class="title">
            <span class="number">{number}</span>
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
        <div class="unfolded" id={`step-${number}`}>
          {failed.length > 0 && <Checks checks={failed} />}
          {others.length > 0 && (
            <CheckList results={others.map(({ passed }) => passed)}>
              <Checks checks={others} />
            </CheckList>
          )}
          <Warnings warnings={warnings} />
          {notes.map((note) => (
            <p key={note}>
              <bdi>{note}</bdi>
            </p>
          ))}
          {step.edit !== undefined && (
            <p>
              <a href={step.edit}>
                Edit and send again<span class="unseen">{`, step ${number}`}</span>
              </a>
            </p>
          )}
          <Panes>
            <Message title="Request" message={request} now={now} />
            {response && <Message title="Response" message={response} now={now} />}
          </Panes>
          <MaskedValues {...props} />
        </div>
      </details>
    </li>
  );
}

/** Names and values in the order in which they were sent. */
function FieldList({ fields, now }: { readonly fields: readonly MessageField[]; readonly now: number }): VNode {
  return (
    <dl class="sent">
      {fields.map(({ name, value, jwt }) => (
        <>
          <dt>{name}</dt>
          <dd>
            {value}
            {jwt && (
              <details>
                <summary>Decoded {name}</summary>
                <Claims {...jwt} now={now} />
              </details>
            )}
          </dd>
        </>
      ))}
    </dl>
  );
}

/** A request or a response. `now` is the current time, in milliseconds since the epoch. */
function Message(
  { title, message, now }: { readonly title: string; readonly message: MessageDetails; readonly now: number },
): VNode {
  const { line, headers, parts, text } = message;
  return (
    <div class="http">
      <h4>
        {title}{" "}
        <code>
          {title === "Response" ? <StatusCode status={line} /> : line}
        </code>
      </h4>
      {parts.map((part) => (
        <>
          <p>{part.title}</p>
          <FieldList fields={part.sent} now={now} />
        </>
      ))}
      {text !== undefined && <pre class="wire box">{text}</pre>}
      {headers.length > 0 && (
        <details>
          <summary>{headers.length === 1 ? "1 header" : `${headers.length} headers`}</summary>
          <pre class="wire">{headers.map(({ name, value }) => `${name}: ${value}`).join("\n")}</pre>
        </details>
      )}
    </div>
  );
}
