/** @jsxImportSource preact */
/** The newest flow beside the list, on wide screens: its reason, outcome and steps. */

import type { VNode } from "preact";
import { StatusBadge } from "../status_badge.tsx";
import { ExpectedVsReceived } from "./checks.tsx";
import { flowHeading } from "./flow.tsx";
import type { FlowSummary } from "./props.ts";

/** Maximum number of steps; a flow has more only if a client polls or refreshes. */
const maxSteps = 8;

export function Summary({ base, flow }: { readonly base: string; readonly flow: FlowSummary }): VNode {
  const { row, reason, continued, steps } = flow;
  const path = `${base}/flows/${row.id}`;
  const hidden = Math.max(0, steps.length - maxSteps);
  return (
    <aside class="newest" id="newest" aria-labelledby="newest-heading">
      <h2 id="newest-heading">
        <a href={path}>
          <bdi>{flowHeading(flow)}</bdi>
        </a>
      </h2>
      <p>
        <StatusBadge {...row.outcome} /> <span class="aside">newest flow</span>
      </p>
      {reason && !continued && <ExpectedVsReceived {...reason} />}
      {reason?.fix !== undefined && !continued && (
        <p>
          <strong>How to fix it:</strong> {reason.fix}
        </p>
      )}
      {reason?.change !== undefined && !continued && (
        <p>
          <a href={base + reason.change.path}>
            <bdi>{reason.change.label}</bdi>
          </a>
        </p>
      )}
      <ol start={hidden + 1}>
        {steps.slice(hidden).map(({ number, title, status }) => (
          <li key={number}>
            <a href={`${base}/flows/of/${number}`}>{title}</a> <span class={status.tone}>{status.label}</span>
          </li>
        ))}
      </ol>
    </aside>
  );
}
