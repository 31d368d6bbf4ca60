/** The steps of the playground so far, which its pages have in hidden fields. */

import type { HistoryStep } from "./pages/history_entry.tsx";
import type { PlaygroundProps } from "./pages/playground.tsx";
import type { PlaygroundStep } from "./pages/playground_form.tsx";
import type { PlaygroundResult } from "./requests.ts";

/** The steps that need tokens, in the suggested order. */
export const stepsWithTokens: readonly PlaygroundStep[] = [
  "userinfo",
  "introspect",
  "downscope",
  "refresh",
  "replay",
  "revoke",
];

export const allSteps: readonly PlaygroundStep[] = ["exchange", "wrong_verifier", "device", "poll", ...stepsWithTokens];

/** A result, with the step that its request belongs to. */
export type StepResult = PlaygroundResult & PlaygroundProps["exchanges"][number];

/** How a step ended. */
export function stepOutcome(step: PlaygroundStep, { status, json }: PlaygroundResult): PlaygroundProps["outcome"] {
  if (status === undefined) return "dropped";
  return status !== 200 || step === "introspect" && json.active !== true ? "rejected" : "done";
}

/** The exchange as text, without its secrets and without the code. */
export function toHistoryStep(at: number, result: StepResult, code = ""): HistoryStep {
  const { step, request, response, secrets, status, json } = result;
  const text = [request, response].flatMap((message) =>
    message === undefined
      ? []
      : [message.body === undefined ? message.startLine : `${message.startLine}\n\n${message.body}`]
  ).join("\n\n");
  const errorText = status === 200 ? "inactive" : String(json.error ?? "");
  return {
    step,
    at,
    status,
    ...stepOutcome(step, result) === "rejected" && errorCodePattern.test(errorText) && { error: errorText },
    text: [...secrets.map(({ value }) => value), code].filter((value) => value !== "")
      .reduce((redacted, value) => redacted.replaceAll(value, "…"), text),
  };
}

const errorCodePattern = /^\w{1,40}$/;

/** Maximum number of steps in the hidden fields of a page, and of characters of their texts. */
const historyLimits = { steps: 12, text: 1900 };

/** Drops the texts of the oldest steps first, then the oldest steps. */
export function limitHistory(history: readonly HistoryStep[]): HistoryStep[] {
  let remaining = historyLimits.text;
  return history.slice(-historyLimits.steps).reverse()
    .map((step) => (remaining -= step.text.length) < 0 ? { ...step, text: "" } : step)
    .reverse();
}

/** Parses the history fields of the form; invalid lines are dropped. */
export function parseHistory(summaries: readonly string[], texts: readonly string[]): HistoryStep[] {
  return limitHistory(summaries.flatMap((line, i) => {
    const [, name, at, status, error] = /^(\w+) (\d{1,15}) (\d{1,3})(?: (\w{1,40}))?$/.exec(line) ?? [];
    const step = allSteps.find((candidate) => candidate === name);
    if (step === undefined) return [];
    // Browsers send every line end in a form as CR LF.
    const text = (texts[i] ?? "").replaceAll("\r\n", "\n");
    return [{ step, at: Number(at), status: Number(status) || undefined, ...error !== undefined && { error }, text }];
  }));
}
