/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** One exchange of a flow: its arrows, and unfolded everything that is known of it. */

import type { VNode } from "preact";
import { Checks, Warnings } from "./checks.tsx";
import { Message } from "./message.tsx";
import { inShort, Moment } from "./moment.tsx";
import type { FlowProps, FlowStep } from "./props.ts";
import { Refusal } from "./failure_summary.tsx";
import { Arrow } from "./sequence.tsx";
import { Standing } from "./status_badge.tsx";

/** What a step belongs to. */
export interface StepProps {
  readonly step: FlowStep;
  /** The path of the flow's page. */
  readonly path: string;
  readonly secrets: FlowProps["secrets"];
}

/** Masked values, and the way to see them or to mask them again. */
function Secrets({ step: { number, masked }, path, secrets }: StepProps): VNode | null {
  if (masked === 0) return null;
  const values = masked === 1 ? "1 secret value is" : `${masked} secret values are`;
  if (secrets === "never") return <p class="aside">{values} masked.</p>;
  return secrets === "shown"
    ? (
      <p class="aside">
        {values} shown. <a href={`${path}#step-${number}`}>Mask what step {number} holds</a>
      </p>
    )
    : (
      <p class="aside">
        {values} masked. <a href={`${path}?show=secrets#step-${number}`}>Show what step {number} holds</a>
      </p>
    );
}

/** Belongs inside `<ol class="sequence">`. The anchor lies in what is folded, so that a link to it unfolds it. */
export function Step(props: StepProps): VNode {
  const { step } = props;
  const { number, title, at, took, standing, refusal, hops, checks, warnings, notes, request, answer } = step;
  return (
    <li>
      <details class="step" open={step.open}>
        <summary>
          <span class="title">
            <span class="number">{number}</span>
            <h3>{title}</h3>
            <Standing {...standing} />
            <small>
              <Moment at={at} />
              {took !== undefined && <span>{inShort(took)}</span>}
            </small>
            {refusal && <Refusal {...refusal} />}
          </span>
          {hops.map((hop, i) => <Arrow key={i} {...hop} />)}
        </summary>
        <div class="unfolded" id={`step-${number}`}>
          {checks.length > 0 && (
            <>
              <h4>Checks</h4>
              <Checks checks={checks} />
            </>
          )}
          <Warnings warnings={warnings} />
          {notes.map((note) => (
            <p key={note}>
              <bdi>{note}</bdi>
            </p>
          ))}
          <Message title="Request" message={request} />
          {answer && <Message title="Answer" message={answer} />}
          <Secrets {...props} />
        </div>
      </details>
    </li>
  );
}
