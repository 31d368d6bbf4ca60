/** @jsxImportSource preact */
/** The stepper of the callback page and the playground: the same steps in the same order on every page. */

import type { VNode } from "preact";
import type { HistoryStep } from "./history_entry.tsx";
import type { PlaygroundStep } from "./playground_form.tsx";
import { Stepper } from "../../../server/pages/stepper.tsx";

/** Labels, each with its playground steps. */
const stages: readonly (readonly [label: string, steps: readonly PlaygroundStep[]])[] = [
  ["Exchange", ["exchange", "wrong_verifier", "poll"]],
  ["Userinfo", ["userinfo"]],
  ["Introspect", ["introspect", "downscope"]],
  ["Refresh", ["refresh"]],
  ["Replay", ["replay"]],
  ["Revoke", ["revoke"]],
];

interface RoundTripStepperProps {
  /** How the authorization ended: `undefined` before it has. */
  readonly authorized: "done" | "failed" | undefined;
  /** The steps so far, oldest first. */
  readonly history: readonly Pick<HistoryStep, "step" | "status" | "error">[];
  /** The step that the page shows; absent: the authorization. */
  readonly current?: PlaygroundStep;
}

/** The steps from the authorization to the revocation, each with the outcome of its last try. */
export function RoundTripStepper({ authorized, history, current }: RoundTripStepperProps): VNode {
  return (
    <Stepper
      label="Steps of the flow"
      items={[
        { label: "Authorize", outcome: authorized, current: current === undefined || current === "device" },
        ...stages.map(([label, steps]) => {
          const last = history.findLast(({ step }) => steps.includes(step));
          const outcome = last &&
            (last.status === 200 && last.error === undefined ? "done" as const : "failed" as const);
          return { label, outcome, current: current !== undefined && steps.includes(current) };
        }),
      ]}
    />
  );
}
