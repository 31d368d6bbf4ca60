/** @jsxImportSource preact */
/** Why a flow failed, how to fix it, and what to do next: on its page and beside the list. */

import type { ComponentChildren, VNode } from "preact";
import { Rejection } from "../../../server/pages/rejection.tsx";
import type { FailureReason } from "./props.ts";

/** The heading is the reason, unless the flow continued. */
export function FailureSummary(
  { base, reason, continued, next }: {
    readonly base: string;
    readonly reason: FailureReason;
    readonly continued: boolean;
    /** The next action besides a change of the clients. Absent: there is none. */
    readonly next?: { readonly href: string; readonly label: ComponentChildren };
  },
): VNode {
  const { step, more, change, suggestion } = reason;
  const isChangeFirst = change !== undefined && suggestion === undefined;
  const changeLink = change && (
    <a class={isChangeFirst ? "button" : "button plain"} href={base + change.path}>
      <bdi>{change.label}</bdi>
    </a>
  );
  return (
    <div class={continued ? "reason notice" : "reason"}>
      {continued && (
        <p>
          <strong>
            <bdi>{reason.reason}</bdi>
          </strong>
          , in step {step}; the flow continued
        </p>
      )}
      {reason.sentSecret !== undefined && <p>{reason.sentSecret}</p>}
      <Rejection {...reason} />
      {more > 0 && (
        <p class="aside">
          {more === 1 ? "1 later step was also rejected." : `${more} later steps were also rejected.`}
        </p>
      )}
      {(change !== undefined || next !== undefined) && (
        <p class="ways">
          {isChangeFirst && changeLink}
          {next && <a class={isChangeFirst ? "button plain" : "button"} href={next.href}>{next.label}</a>}
          {!isChangeFirst && changeLink}
        </p>
      )}
      {change?.note !== undefined && <p class="aside">{change.note}</p>}
    </div>
  );
}
