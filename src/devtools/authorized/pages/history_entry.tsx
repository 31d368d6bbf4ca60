/** @jsxImportSource preact */
/** The history of the playground: time and outcome of each step, with its request and response. */

import type { VNode } from "preact";
import { formId, type PlaygroundStep, stepLabels } from "./playground_form.tsx";

/** A step of the history, as text without secrets. */
export interface HistoryStep {
  /** The step. */
  readonly step: PlaygroundStep;
  /** In milliseconds since the epoch. */
  readonly at: number;
  /** The HTTP status; absent without a response. */
  readonly status?: number;
  /** The error code of the response, or `inactive`; absent if the step succeeded. */
  readonly error?: string;
  /** Request and response; empty for old steps. */
  readonly text: string;
}

/** One step; belongs inside `<ol class="past">`. The visible text field is also the one that the form submits. */
export function HistoryEntry(step: HistoryStep): VNode {
  const { at, status, error, text } = step;
  const [kind, mark] = status === undefined ? ["off", "–"] : status === 200 && !error ? ["good", "✓"] : ["off", "✗"];
  const title = (
    <>
      <span class="time">{new Date(at).toISOString().slice(11, 19)}</span> <b class={kind}>{mark}</b>{" "}
      {stepLabels[step.step]}: {status ?? "no response"}
      {error !== undefined && ` ${error}`}
    </>
  );
  return (
    <li>
      <HistoryFields {...step} />
      {text === ""
        ? (
          <>
            {title}
            <HistoryText text="" />
          </>
        )
        : (
          <details>
            <summary>{title}</summary>
            <textarea
              form={formId}
              name="past_text"
              readonly
              rows={rowCount(text)}
              aria-label="Messages"
            >
              {text}
            </textarea>
          </details>
        )}
    </li>
  );
}

/** The newest steps, which the page shows in full, as hidden fields of the form. */
export function HiddenHistory({ steps }: { readonly steps: readonly HistoryStep[] }): VNode {
  return (
    <>
      {steps.map((step, i) => (
        <>
          <HistoryFields key={i} {...step} />
          <HistoryText text={step.text} />
        </>
      ))}
    </>
  );
}

function HistoryFields({ step, at, status = 0, error }: HistoryStep): VNode {
  const line = [step, at, status, ...error === undefined ? [] : [error]].join(" ");
  return <input form={formId} type="hidden" name="past" value={line} />;
}

function HistoryText({ text }: { readonly text: string }): VNode {
  return <input form={formId} type="hidden" name="past_text" value={text} />;
}

/** The number of lines on a wide screen, for browsers without `field-sizing`. */
function rowCount(text: string): number {
  return text.split("\n").reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / 72)), 0);
}
