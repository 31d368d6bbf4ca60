/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** What was tried before: a line for each step with its time and outcome, unfolding into request and answer. */

import type { VNode } from "preact";
import type { HistoryStep } from "../app/pages.ts";
import { formId, stepLabels } from "./playground_form.tsx";

/** One step; belongs inside `<ol class="past">`. What is shown is what the form sends on, so that it is there once. */
export function HistoryEntry(step: HistoryStep): VNode {
  const { at, status, error, text } = step;
  const [kind, mark] = status === undefined ? ["off", "–"] : status === 200 && !error ? ["good", "✓"] : ["off", "✗"];
  const title = (
    <>
      <span class="time">{formatTime(at)}</span> <b class={kind}>{mark}</b> {stepLabels[step.step]}:{" "}
      {status ?? "no answer"}
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
              aria-label="Request and answer"
            >
              {text}
            </textarea>
          </details>
        )}
    </li>
  );
}

/** What the form sends on although it is not shown below: the newest steps, which stand above in full. */
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

/** As many lines as the text takes on a desk; where the browser knows how, the field follows its content anyway. */
function rowCount(text: string): number {
  return text.split("\n").reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / 72)), 0);
}

function formatTime(at: number): string {
  return new Date(at).toISOString().replace(/^.*T|\.\d+Z$/g, "");
}
