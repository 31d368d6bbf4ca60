/** @jsxImportSource preact */
/** Why a flow failed, how to fix it, and where its rejected step is: on its page and beside the list. */

import type { VNode } from "preact";
import { Rejection } from "../../../server/pages/rejection.tsx";
import type { FailureReason } from "./props.ts";

/** The heading is the reason, unless the flow continued. */
export function FailureSummary(
  { base, reason, continued, href }: {
    readonly base: string;
    readonly reason: FailureReason;
    readonly continued: boolean;
    /** Where the rejected step is. */
    readonly href: string;
  },
): VNode {
  const { step, more, title, change, suggestion } = reason;
  const isChangeFirst = change !== undefined && suggestion?.fix === undefined;
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
      <Rejection {...reason} />
      <p class="ways">
        {isChangeFirst && changeLink}
        <a class={isChangeFirst ? "button plain" : "button"} href={href}>
          See step {step}
          <span class="unseen">, {title}</span>
        </a>
        {!isChangeFirst && changeLink}
        {more > 0 && (
          <span class="aside">
            {more === 1 ? "1 later step was also rejected." : `${more} later steps were also rejected.`}
          </span>
        )}
      </p>
    </div>
  );
}
