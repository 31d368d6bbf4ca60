/** @jsxImportSource preact */
/** A flow beside the list, on wide screens: its reason, how to fix it, and its steps. */

import type { VNode } from "preact";
import { StatusBadge } from "../../../server/pages/status_badge.tsx";
import { FailureSummary } from "./failure.tsx";
import { flowHeading } from "./flow.tsx";
import type { FlowSummary } from "./props.ts";

/** Maximum number of steps; a flow has more only if a client polls or refreshes. */
const maxSteps = 8;

export function Pane({ base, flow, isNewest }: {
  readonly base: string;
  readonly flow: FlowSummary;
  /** Whether no flow is selected. */
  readonly isNewest: boolean;
}): VNode {
  const { row, reason, continued, steps } = flow;
  const hidden = Math.max(0, steps.length - maxSteps);
  return (
    <aside class="pane" id="pane" aria-labelledby="pane-heading">
      <h2 id="pane-heading">
        <a href={`${base}/flows/${row.id}`}>
          <bdi>{flowHeading(flow)}</bdi>
        </a>
      </h2>
      <p>
        <StatusBadge {...row.outcome} />{" "}
        <span class="aside">
          {[
            ...row.document === undefined ? [`Flow ${row.id}`] : [],
            ...isNewest ? ["the newest"] : [],
          ].join(", ")}
        </span>
      </p>
      {row.warning !== undefined && <p>{row.warning}</p>}
      {reason && (
        <FailureSummary
          {...{ base, reason, continued }}
          next={{
            href: base + steps[reason.step - 1]!.href,
            label: (
              <>
                See step {reason.step}
                <span class="unseen">, {reason.title}</span>
              </>
            ),
          }}
        />
      )}
      <ol start={hidden + 1}>
        {steps.slice(hidden).map(({ href, title, status }) => (
          <li key={href}>
            <a href={base + href}>{title}</a> <span class={status.tone}>{status.label}</span>
          </li>
        ))}
      </ol>
    </aside>
  );
}
